/** Labels and help for the tables of `config.toml`, for programs with a settings view (docs/native-rpc.md#configuration). */

interface ConfigSection {
  readonly label: string
  readonly help: string
  readonly group: "Agents" | "Models" | "Safety" | "Tools" | "Daemon"
}

/** The top-level keys, each of them a section. */
export const sections: Readonly<Record<string, ConfigSection>> = {
  log_level: { label: "Log level", help: "How much is logged", group: "Daemon" },
  agents: {
    label: "Agents",
    help: "Each agent has a model, a folder of its own and its profiles; without any there is one, called \"default\"",
    group: "Agents"
  },
  providers: { label: "Model providers", help: "Where models are asked, and with which key", group: "Models" },
  acp: { label: "Agent Client Protocol", help: "The agent of new sessions, and how many sessions", group: "Agents" },
  risk_profiles: {
    label: "Risk profiles",
    help: "What agents may never do, whatever a session allows",
    group: "Safety"
  },
  runtime_profiles: {
    label: "Runtime profiles",
    help: "How long a turn may be and how much of it the model reads",
    group: "Agents"
  },
  autonomy: { label: "Autonomy", help: "The risk profile \"default\" under another name", group: "Safety" },
  policy: { label: "Policy", help: "What new sessions begin with, and the user's own rules", group: "Safety" },
  mcp: { label: "MCP servers", help: "Servers whose tools agents get", group: "Tools" },
  memory: { label: "Memory", help: "What chat sessions remember, and for how long", group: "Agents" },
  web_fetch: { label: "Web pages", help: "What web_fetch may reach", group: "Tools" },
  http_request: { label: "HTTP requests", help: "What http_request may reach, and its secrets", group: "Tools" },
  rpc: { label: "Daemon", help: "How many connections and sessions the daemon takes", group: "Daemon" },
  gateway: { label: "Gateway", help: "The daemon over HTTP and WebSocket, for clients that paired", group: "Daemon" },
  security: { label: "Security", help: "What is kept out of the context, and who the operator is", group: "Safety" },
  users: { label: "Users", help: "Who may call the daemon beside its operator", group: "Daemon" },
  permission_profiles: { label: "Permission profiles", help: "What users of the daemon may do", group: "Daemon" }
}

/** Tables whose keys are of the user's choice: what one entry is. */
export const entries: Readonly<Record<string, string>> = {
  agents: "An agent under its alias",
  providers: "A model provider under its alias",
  "providers.*.headers": "A header that is sent with each request, and its secret value",
  risk_profiles: "A risk profile under its alias",
  "risk_profiles.*.delegation_policy": "Accepted, without effect in this version",
  "autonomy.delegation_policy": "Accepted, without effect in this version",
  runtime_profiles: "A runtime profile under its alias",
  "mcp.servers": "An MCP server under its name",
  "mcp.servers.*.env": "A variable for the server's process, and its secret value",
  "mcp.servers.*.headers": "A header for the server, and its secret value",
  "mcp.servers.*.tools": "What one tool of the server may do",
  "http_request.secrets": "A secret under the name that auth_secret calls it by",
  "http_request.secret_hosts": "The hosts that the secret of this name may be sent to",
  "security.audit": "Accepted, without effect in this version",
  "security.prompt_guard": "Accepted, without effect in this version",
  users: "A user of the daemon",
  permission_profiles: "A permission profile under its alias",
  "permission_profiles.*.grants": "A resource, and the verbs that are granted on it"
}
