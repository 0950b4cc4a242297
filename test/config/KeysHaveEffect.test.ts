import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { SchemaAST } from "effect"
import { parseSync } from "rolldown/utils"
import { ConfigTable } from "../../src/config/schema/Schema.ts"
import { snapshot } from "../../src/config/Snapshot.ts"

/** The paths of all keys that have a value, with `*` for aliases. */
const keysOf = (ast: SchemaAST.AST, path: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const at = path.join(".")
  if (SchemaAST.isUnion(ast)) {
    const tables = ast.types.filter(SchemaAST.isObjects)
    return tables.length === 0 ? [at] : tables.flatMap((type) => keysOf(type, path))
  }
  if (SchemaAST.isArrays(ast)) return Array.from(new Set([at, ...ast.rest.flatMap((type) => keysOf(type, path))]))
  if (!SchemaAST.isObjects(ast)) return [at]
  return [
    ...ast.propertySignatures.flatMap(({ name, type }) => keysOf(type, [...path, String(name)])),
    ...ast.indexSignatures.flatMap(({ type }) => SchemaAST.isObjects(type) ? keysOf(type, [...path, "*"]) : [at])
  ]
}

const source = join(import.meta.dirname, "..", "..", "src")

interface Node {
  readonly type: string
  readonly [field: string]: any
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value

/** The properties that a file reads of some value: `a.name`, `a["name"]`, `const { name } = a`, and names in its lists. */
const readIn = (file: string): ReadonlySet<string> => {
  const found = new Set<string>()
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(walk)
    if (!isNode(value)) return
    const { type } = value
    if (type === "MemberExpression" && (!value["computed"] || value["property"].type === "Literal")) {
      found.add(String(value["property"].name ?? value["property"].value))
    }
    if (type === "ObjectPattern") {
      for (const { computed, key, type } of value["properties"]) {
        if (type === "Property" && !computed) found.add(String(key.name ?? key.value))
      }
    }
    if (type === "ArrayExpression") {
      for (const one of value["elements"]) if (one?.type === "Literal") found.add(String(one.value))
    }
    Object.values(value).forEach(walk)
  }
  walk(parseSync(file, readFileSync(join(source, file), "utf8")).program)
  return found
}

const files = new Map<string, ReadonlySet<string>>()
const reads = (file: string): ReadonlySet<string> => {
  const known = files.get(file) ?? readIn(file)
  files.set(file, known)
  return known
}

/**
 * Where each key is used: a file that reads the property, by its own name or as it is called once the configuration is
 * decoded. `named`: it has no effect in this version, and the log says so.
 */
const named = "named"

const web = (name: string) => ({
  [`${name}.allowed_domains`]: "tool/web/WebAccess.ts#allowedDomains",
  [`${name}.blocked_domains`]: "tool/web/WebAccess.ts#blockedDomains",
  [`${name}.allow_private_hosts`]: "tool/web/WebAccess.ts#allowPrivateHosts"
})

const riskProfile = (path: string) => ({
  [`${path}.level`]: "session/policy/SessionPolicy.ts#level",
  [`${path}.workspace_only`]: "policy/decision/Boundary.ts#workspaceOnly",
  [`${path}.allowed_commands`]: "policy/decision/Boundary.ts#allowedCommands",
  [`${path}.forbidden_commands`]: "policy/decision/Boundary.ts#forbiddenCommands",
  [`${path}.forbidden_paths`]: "policy/decision/Boundary.ts#forbiddenPaths",
  [`${path}.allowed_roots`]: "session/lifecycle/Folders.ts#allowedRoots",
  [`${path}.visible_paths`]: "tool/CallConfinement.ts#visiblePaths",
  [`${path}.max_actions_per_hour`]: "session/policy/SessionPolicy.ts#maxActionsPerHour",
  [`${path}.max_cost_per_day_cents`]: "session/policy/Budget.ts#maxCostPerDayCents",
  [`${path}.require_approval_for_medium_risk`]: "policy/decision/Limits.ts#requireApprovalForMediumRisk",
  [`${path}.block_high_risk_commands`]: "policy/decision/Boundary.ts#blockHighRiskCommands",
  [`${path}.shell_env_passthrough`]: "policy/decision/Limits.ts#shellEnvPassthrough",
  [`${path}.shell_timeout_secs`]: "policy/decision/Limits.ts#shellTimeoutSecs",
  [`${path}.auto_approve`]: "policy/rules/source/RuleLayers.ts#autoApprove",
  [`${path}.always_ask`]: "policy/rules/source/RuleLayers.ts#alwaysAsk",
  [`${path}.allowed_tools`]: "policy/rules/source/RuleLayers.ts#allowedTools",
  [`${path}.excluded_tools`]: "policy/rules/source/RuleLayers.ts#excludedTools",
  [`${path}.approval_route.approver_channel`]: "session/policy/Approvals.ts#approver_channel",
  [`${path}.approval_route.on_no_approver`]: "session/policy/Approvals.ts#on_no_approver",
  [`${path}.approval_route.timeout_secs`]: "session/policy/Approvals.ts#timeout_secs",
  [`${path}.delegation_policy`]: named,
  [`${path}.sandbox_enabled`]: "policy/decision/Limits.ts#sandboxEnabled",
  [`${path}.sandbox_backend`]: "policy/decision/Limits.ts#sandboxBackend",
  [`${path}.sandbox_docker_image`]: "policy/decision/Limits.ts#sandboxDockerImage",
  [`${path}.firejail_args`]: "sandbox/backends/BackendChooser.ts#firejailArgs"
})

const rules = (list: string) => ({
  [`policy.rules.${list}`]: `policy/rules/source/RulesFile.ts#${list}`,
  [`policy.rules.${list}.rule`]: "policy/rules/source/RulesFile.ts#rule",
  [`policy.rules.${list}.reason`]: "policy/rules/source/RulesFile.ts#reason",
  [`policy.rules.${list}.guard`]: "policy/rules/source/RulesFile.ts#guard",
  [`policy.rules.${list}.match`]: "policy/rules/source/RulesFile.ts#match",
  [`policy.rules.${list}.notMatch`]: "policy/rules/source/RulesFile.ts#notMatch"
})

const uses: Readonly<Record<string, string>> = {
  "log_level": "config/Logging.ts#logLevel",
  "agents.*.enabled": "session/lifecycle/Agents.ts#enabled",
  "agents.*.model": "session/policy/SessionModel.ts#model",
  "agents.*.workspace": "session/lifecycle/Folders.ts#workspace",
  "agents.*.risk_profile": "session/lifecycle/Agents.ts#riskProfile",
  "agents.*.runtime_profile": "session/lifecycle/Agents.ts#runtimeProfile",
  "providers.*.kind": "model/Models.ts#kind",
  "providers.*.api_key": "model/http/Endpoint.ts#apiKey",
  "providers.*.api_key_env": "config/Providers.ts#api_key_env",
  "providers.*.base_url": "model/http/Endpoint.ts#baseUrl",
  "providers.*.timeout_secs": "model/http/Endpoint.ts#timeoutSecs",
  "providers.*.max_tokens": "model/openai/OpenAiCompatible.ts#maxTokens",
  "providers.*.context_window": "session/context/ContextWindow.ts#contextWindow",
  "providers.*.vision": "model/openai/OpenAiCompatible.ts#vision",
  "providers.*.headers": "model/http/Endpoint.ts#headers",
  "providers.*.fallback": "model/Models.ts#fallback",
  "providers.*.models": "model/ModelCatalog.ts#models",
  "providers.*.prices.input": "session/policy/Budget.ts#input",
  "providers.*.prices.output": "session/policy/Budget.ts#output",
  "providers.*.prices.cache_read": "session/policy/Budget.ts#cache_read",
  "providers.*.prices.cache_write": "session/policy/Budget.ts#cache_write",
  "acp.default_agent": "session/lifecycle/Agents.ts#defaultAgent",
  "acp.max_sessions": "session/lifecycle/SessionManager.ts#maxSessions",
  "acp.options": "session/lifecycle/Agents.ts#options",
  "acp.session_timeout_secs": "session/lifecycle/SessionManager.ts#sessionTimeoutSecs",
  "acp.unstable": "acp/Handlers.ts#unstable",
  ...riskProfile("risk_profiles.*"),
  "runtime_profiles.*.agentic": "session/turn/TurnRequest.ts#agentic",
  "runtime_profiles.*.max_tool_iterations": "session/turn/ModelTurn.ts#maxToolIterations",
  "runtime_profiles.*.max_history_messages": "session/context/ContextWindow.ts#maxHistoryMessages",
  "runtime_profiles.*.max_context_tokens": "session/context/ContextWindow.ts#maxContextTokens",
  "runtime_profiles.*.max_tool_result_chars": "session/context/ContextWindow.ts#maxToolResultChars",
  "runtime_profiles.*.max_system_prompt_chars": "session/context/SystemPromptBuilder.ts#maxSystemPromptChars",
  "runtime_profiles.*.keep_tool_context_turns": "session/context/ContextWindow.ts#keepToolContextTurns",
  "runtime_profiles.*.max_actions_per_hour": "session/policy/SessionPolicy.ts#maxActionsPerHour",
  "runtime_profiles.*.shell_timeout_secs": "session/policy/SessionPolicy.ts#shellTimeoutSecs",
  "runtime_profiles.*.parallel_tools": "session/turn/ModelTurn.ts#parallelTools",
  "runtime_profiles.*.compact_context": "session/context/ContextWindow.ts#compactContext",
  "runtime_profiles.*.tool_dispatcher": named,
  ...riskProfile("autonomy"),
  "gateway.enabled": "app/Daemon.ts#enabled",
  "gateway.host": "gateway/GatewayServer.ts#host",
  "gateway.port": "gateway/GatewayServer.ts#port",
  "gateway.path_prefix": "gateway/GatewayServer.ts#pathPrefix",
  "gateway.tls.cert_path": "gateway/GatewayServer.ts#certificate",
  "gateway.tls.key_path": "gateway/GatewayServer.ts#key",
  "gateway.allow_public_bind": "config/schema/Consistency.ts#allow_public_bind",
  "gateway.require_pairing": "gateway/GatewayServer.ts#requirePairing",
  "gateway.allowed_origins": "gateway/RequestChecks.ts#allowedOrigins",
  "gateway.trusted_proxies": "gateway/GatewayServer.ts#trustedProxies",
  "policy.work_mode": "session/policy/AdvertisedTools.ts#work_mode",
  "policy.network": "mcp/Permit.ts#network",
  "policy.user_rules": "session/policy/SessionPolicy.ts#user_rules",
  "policy.tool_approval": "policy/decision/Gates.ts#tool_approval",
  "policy.approval_response": "policy/decision/Decision.ts#approval_response",
  "policy.sandbox": "tool/CallConfinement.ts#sandbox",
  "policy.guard_allow": "policy/decision/PolicyFlags.ts#guard_allow",
  "policy.ask_network_reads": "policy/decision/PolicyFlags.ts#ask_network_reads",
  "policy.whitelist": "policy/decision/PolicyFlags.ts#whitelist",
  "policy.blacklist": "policy/decision/PolicyFlags.ts#blacklist",
  "policy.shell_test_commands": "policy/decision/PolicyFlags.ts#shell_test_commands",
  "policy.shell_test_network": "policy/decision/PolicyFlags.ts#shell_test_network",
  "policy.allow_partial_sandbox": "app/SandboxLayer.ts#allow_partial_sandbox",
  ...rules("deny"),
  ...rules("ask"),
  ...rules("allow"),
  "mcp.servers.*.enabled": "config/Snapshot.ts#enabled",
  "mcp.servers.*.command": "mcp/Connector.ts#command",
  "mcp.servers.*.args": "mcp/Connector.ts#args",
  "mcp.servers.*.env": "mcp/Connector.ts#env",
  "mcp.servers.*.cwd": "mcp/Connector.ts#cwd",
  "mcp.servers.*.url": "mcp/HttpTransport.ts#url",
  "mcp.servers.*.headers": "mcp/HttpTransport.ts#headers",
  "mcp.servers.*.transport": "config/Snapshot.ts#transport",
  "mcp.servers.*.init_timeout_secs": "mcp/SessionMcpServer.ts#initTimeoutSecs",
  "mcp.servers.*.tool_timeout_secs": "mcp/SessionMcpServer.ts#toolTimeoutSecs",
  "mcp.servers.*.sandbox": "mcp/Permit.ts#sandbox",
  "mcp.servers.*.network": "domain/McpServerConfig.ts#network",
  "mcp.servers.*.readable": "mcp/Permit.ts#readable",
  "mcp.servers.*.writable": "mcp/Permit.ts#writable",
  "mcp.servers.*.capability": "domain/McpServerConfig.ts#capability",
  "mcp.servers.*.tools": "domain/McpServerConfig.ts#tools",
  "mcp.servers.*.read_only_hints": "domain/McpServerConfig.ts#readOnlyHints",
  "mcp.clients.enabled": "config/Snapshot.ts#enabled",
  "mcp.clients.sandbox": "config/Snapshot.ts#sandbox",
  "mcp.clients.network": "config/Snapshot.ts#network",
  "mcp.clients.readable": "config/Snapshot.ts#readable",
  "mcp.clients.writable": "config/Snapshot.ts#writable",
  "memory.auto_save": "session/context/MemoryRecall.ts#autoSave",
  "memory.min_relevance_score": "session/context/MemoryRecall.ts#minRelevance",
  "memory.conversation_retention_days": "app/DaemonLayer.ts#conversationRetentionDays",
  ...web("web_fetch"),
  "web_fetch.enabled": "tool/web/WebFetch.ts#enabled",
  "web_fetch.timeout_secs": "tool/web/WebFetch.ts#timeoutSecs",
  "web_fetch.max_response_size": "tool/web/WebFetch.ts#maxResponseSize",
  ...web("http_request"),
  "http_request.enabled": "tool/web/HttpRequest.ts#enabled",
  "http_request.timeout_secs": "tool/web/HttpExchange.ts#timeoutSecs",
  "http_request.max_response_size": "tool/web/HttpRequest.ts#maxResponseSize",
  "http_request.secrets": "tool/web/HttpRequest.ts#secrets",
  "http_request.secret_hosts": "tool/web/HttpRequest.ts#hosts",
  "rpc.max_local_connections": "app/Daemon.ts#maxLocalConnections",
  "rpc.max_sessions": "app/DaemonLayer.ts#maxSessions",
  "security.trust_daemon_uid": "security/Principals.ts#trust_daemon_uid",
  "security.leak_detection.enabled": "domain/secrets/LeakDetector.ts#enabled",
  "security.leak_detection.sensitivity": "domain/secrets/SecretScanner.ts#sensitivity",
  "security.leak_detection.high_entropy_tokens": "domain/secrets/SecretScanner.ts#highEntropyTokens",
  "security.otp.enabled": "policy/decision/CodeNeed.ts#enabled",
  "security.otp.method": "cli/otp/Otp.ts#method",
  "security.otp.token_ttl_secs": "security/OneTimeCodes.ts#period",
  "security.otp.cache_valid_secs": "session/policy/CodeApprovals.ts#cacheSecs",
  "security.otp.gated_actions": "policy/decision/CodeNeed.ts#actions",
  "security.otp.gated_domains": "policy/decision/CodeNeed.ts#domains",
  "security.otp.gated_domain_categories": "policy/decision/CodeNeed.ts#categories",
  "security.otp.challenge_max_attempts": "security/OneTimeCodes.ts#maxAttempts",
  "security.estop.enabled": "config/Snapshot.ts#estop",
  "security.estop.require_otp_to_resume": "config/Snapshot.ts#require_otp_to_resume",
  "security.audit": named,
  "security.prompt_guard": named,
  "users.*.uid": "security/Principals.ts#uid",
  "users.*.principal_id": "security/Principals.ts#principal_id",
  "users.*.permission_profiles": "security/Principals.ts#permission_profiles",
  "permission_profiles.*.admin": "security/Principals.ts#admin",
  "permission_profiles.*.allowed_agents": "security/Principals.ts#allowed_agents",
  "permission_profiles.*.config_write_paths": "security/Principals.ts#config_write_paths",
  "permission_profiles.*.allowed_tools": "security/Principals.ts#allowed_tools",
  "permission_profiles.*.allowed_channels": named,
  "permission_profiles.*.grants": "security/Principals.ts#grants"
}

/** A value that the key may have where it is not in a table of any content. */
const values: Readonly<Record<string, unknown>> = {
  "runtime_profiles.*.tool_dispatcher": "xml",
  "permission_profiles.*.allowed_channels": ["mail"]
}

const notesOn = (path: string): ReadonlyArray<string> => {
  const table = path.replace("*", "one").split(".").reduceRight<unknown>(
    (value, key) => ({ [key]: value }),
    values[path] ?? { any: "thing" }
  )
  const context = {
    environment: {},
    logLevel: undefined,
    absolute: (...parts: ReadonlyArray<string>) => join(...parts)
  }
  return snapshot(table as ConfigTable, { ...context, configDir: "/config" } as never).notes
}

describe("A key of the configuration", () => {
  const keys = keysOf(ConfigTable.ast)

  it("is in the list of this test", () => {
    assert.deepStrictEqual(Object.keys(uses).toSorted(), keys.toSorted())
  })

  for (const path of keys) {
    const use = uses[path]
    if (use === named) {
      it(`${path} is named in the log as one without effect`, () => {
        const notes = notesOn(path).join("\n")
        assert.include(notes, path.replace("*", "one"))
        assert.include(notes, "has no effect")
      })
    } else if (use !== undefined) {
      const [file = "", property = ""] = use.split("#")
      it(`${path} is read as ${property} in ${file}`, () => {
        assert.isTrue(reads(file).has(property))
      })
    }
  }
})
