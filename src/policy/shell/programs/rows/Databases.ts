/** Databases and their migrations. `../Table.ts` says how a row is read. */
export const databases = String.raw`
alembic = database downgrade
  commands 1
atlas = database ** delete,terminate,pause
  commands 2
  is ordinary
cypher-shell = database operand *DELETE* *delete* *DROP*
dbmate = database drop,down,rollback
  commands 1
diesel = database database,migration reset,revert | setup with --force
  commands 2
  is ordinary
django-admin = database flush,reset_db | migrate * zero
  commands check,showmigrations,diffsettings,version,makemigrations,test 1
  values -c --command; code python -c --command; code-input shell shell_plus
drizzle-kit = database drop,push
  commands 1
dropdb dropuser pg_dropcluster pg_resetwal pg_resetxlog pg_rewind = database
drush = database sql-drop,sql:drop,site-install,si
  code php; code-operand php:eval php-eval ev eval
es elasticdump curator = database delete
flask = database db downgrade
  commands routes 1 | db current,history,heads,branches,show 2
  code python; code-input shell
flyway = database clean,undo,repair
goose = database ** reset,down-to,down
hasura = database metadata,migrate clear,delete
  commands 2
influx = values -execute -host -port -database; statements sql -execute; database delete | bucket,org delete
  is single-dash
knex = database migrate:rollback,migrate:down
  commands *:* 1
liquibase = database dropAll,drop-all,rollback*
manage.py = database flush,reset_db
  values -c --command; code python -c --command; code-input shell shell_plus
memcflush memcached-tool = database flush_all
migrate = database ** drop,down,force
  is ordinary
mikro-orm = database schema:drop,schema:fresh,migration:down
mongorestore = database with --drop
mongosh mongo = @mongosh values --eval -f --file --host --port -u --username -p --password --authenticationDatabase
  @mongo values --eval --host --port -u --username -p --password; statements mongo --eval
mysql mariadb mycli =
  @mysql,mycli values -e --execute -h --host -u --user -P --port -D --database -S --socket --init-command
  @mariadb values -e --execute -h --host -u --user -P --port -D --database -S --socket
  statements sql -e --execute --init-command; @mysql option-exec with --pager=*
mysqladmin mariadb-admin = database drop,shutdown,kill,flush-*,password,refresh,stop-slave,stop-replica
  @mysqladmin database ** drop,shutdown
nodetool = database drain,decommission,removenode,assassinate,clearsnapshot
pg_ctl = database stop,restart,kill,promote
pg_restore = database with -c --clean
prisma = statements sql; database migrate reset | db push with --force-reset --accept-data-loss
  commands 2 | generate,validate,format,version 1
pscale planetscale neonctl neon = database ** delete,destroy,reset,rm
  commands ** list,show,status
psql pgcli =
  values -c --command -f --file -d --dbname -h --host -p --port -U --username -v --set -o --output -L -F -P -R -T
  statements sql -c --command; @psql option-exec with -P=pager* --pset=pager*
redis-cli valkey-cli keydb-cli = @redis-cli values -h -p -n -a -u -s -r -i -x? --user --pass --eval -t
  @valkey-cli values -h -p -n -a -u -s -r -i --user --pass --eval; statements redis operand 0
  @redis-cli database with --eval; @redis-cli is names-words
rethinkdb couchbase-cli = database bucket-delete,bucket-flush
sequelize sequelize-cli = database db:drop,db:migrate:undo:all,db:migrate:undo
  commands *:* 1
  values --name --env --config
sqlite3 sqlite = @sqlite3 values -cmd -init -separator -newline -nullvalue -vfs; files database
  statements sql -cmd operand 1; @sqlite3 is single-dash teller
sqlx = database database,db drop,reset
  commands 2
supabase =
  publish-deploy db,functions,secrets,projects,branches,storage reset,push,deploy,delete,unset,set,rm unless --local
    --dry-run; database db reset
  commands 2 | status,services,start 1 | inspect,gen,experimental 3 | gen keys,types 2
  unoffered bootstrap,start | functions serve
symfony console = database ** doctrine:database:drop,doctrine:schema:drop
turso = statements sql operand 3; database ** delete,destroy,reset,rm
  commands ** list,ls,show
typeorm = database schema:drop,migration:revert
  commands *:* 1
wp = database db drop,reset,clean | site empty,delete
  commands ** list
  code php; code-operand eval
meteor = database reset; publish-deploy deploy
mongoimport = database with --drop
odoo odoo-bin = code python; code-input shell
`
