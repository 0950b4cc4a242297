/** The file that `postern config init` writes: all of it is comments, so it changes nothing. */
export const template =
  `# Postern's configuration. Nothing here is needed: what is commented out is the default or an example.
# postern config list shows what is set, postern config schema everything there is, postern config validate what is wrong.

# log_level = "info"                   # trace, debug, info, warn, error, fatal or none

# [agents.main]                        # any number of agents; without any there is one, called "default"
# model = "anthropic/claude-sonnet-4.6"  # "<provider alias>/<model id>"
# workspace = "~/postern/main"         # used by sessions without a folder of their own
# risk_profile = "default"
# runtime_profile = "default"

# [providers.anthropic]
# kind = "anthropic"                   # anthropic, openai-compatible or offline
# api_key_env = "ANTHROPIC_API_KEY"    # the variable that holds the key

# [providers.local]
# kind = "openai-compatible"
# base_url = "http://127.0.0.1:11434/v1"

# [acp]
# default_agent = "main"
# max_sessions = 10                    # active at the same time
# session_timeout_secs = 3600          # idle sessions are put away after this

# [risk_profiles.default]
# level = "supervised"                 # readonly, supervised or full
# forbidden_paths = ["~/private"]

# [policy]
# tool_approval = "whitelist_accept"

# [policy.rules]                       # deny wins over ask, ask over allow
# deny = ["shell(git push ** --force **)"]
# ask = ["shell(git push **)"]
# allow = ["shell(npm test *)"]
`
