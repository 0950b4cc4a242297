/** What counts where a key of a fixed table is not set, in the spelling of the file. */
export const defaults = {
  acp: { max_sessions: 10, session_timeout_secs: 3600, unstable: false },
  rpc: { max_local_connections: 512, max_sessions: 64 },
  memory: { auto_save: true, min_relevance_score: 0.4, conversation_retention_days: 30 }
} as const
