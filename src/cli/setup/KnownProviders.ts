import { builtIn, type Provider } from "../../config/Providers.ts"

/** A provider that `postern setup` knows how to configure. */
export interface KnownProvider {
  /** Its alias in the configuration, and what `--provider` takes. */
  readonly name: string
  readonly label: string
  readonly kind: Provider["kind"]
  /** `undefined`: the vendor's own. */
  readonly baseUrl?: string
  /** The address is asked for, with `baseUrl` as the suggestion. */
  readonly asksAddress?: true
  /** The variable that usually has the key; absent where no key is needed. */
  readonly keyVariable?: string
  /** Where keys are made. */
  readonly keyPage?: string
  /** An address below `baseUrl` that only a valid key opens; the list of models is public there. */
  readonly keyPath?: string
  /** Model ids to suggest, the best first; the first one that the provider lists is taken. */
  readonly prefers?: ReadonlyArray<RegExp>
}

export const knownProviders: ReadonlyArray<KnownProvider> = [
  {
    name: "anthropic",
    label: "Anthropic (Claude)",
    kind: "anthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    keyPage: "https://console.anthropic.com/settings/keys",
    prefers: [/^claude-sonnet/, /^claude-.*sonnet/]
  },
  {
    name: "openai",
    label: "OpenAI",
    kind: "openai-compatible",
    keyVariable: "OPENAI_API_KEY",
    keyPage: "https://platform.openai.com/api-keys",
    prefers: [/^gpt-5\.2$/, /^gpt-5(\.\d+)?$/, /^gpt-/]
  },
  {
    name: "openrouter",
    label: "OpenRouter (models of many vendors)",
    kind: "openai-compatible",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariable: "OPENROUTER_API_KEY",
    keyPage: "https://openrouter.ai/keys",
    keyPath: "/key",
    prefers: [/^anthropic\/claude-sonnet/]
  },
  {
    name: "gemini",
    label: "Google Gemini",
    kind: "openai-compatible",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyVariable: "GEMINI_API_KEY",
    keyPage: "https://aistudio.google.com/apikey",
    prefers: [/gemini-[\d.]+-pro$/, /gemini-[\d.]+-flash$/]
  },
  {
    name: "mistral",
    label: "Mistral",
    kind: "openai-compatible",
    baseUrl: "https://api.mistral.ai/v1",
    keyVariable: "MISTRAL_API_KEY",
    keyPage: "https://console.mistral.ai/api-keys",
    prefers: [/^devstral-medium/, /^devstral/, /^mistral-large/]
  },
  {
    name: "deepseek",
    label: "DeepSeek",
    kind: "openai-compatible",
    baseUrl: "https://api.deepseek.com/v1",
    keyVariable: "DEEPSEEK_API_KEY",
    keyPage: "https://platform.deepseek.com/api_keys",
    prefers: [/^deepseek-chat$/]
  },
  {
    name: "groq",
    label: "Groq",
    kind: "openai-compatible",
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariable: "GROQ_API_KEY",
    keyPage: "https://console.groq.com/keys",
    prefers: [/kimi/, /gpt-oss-120b/]
  },
  {
    name: "xai",
    label: "xAI (Grok)",
    kind: "openai-compatible",
    baseUrl: "https://api.x.ai/v1",
    keyVariable: "XAI_API_KEY",
    keyPage: "https://console.x.ai",
    prefers: [/^grok-code/, /^grok-\d/]
  },
  {
    name: "ollama",
    label: "Ollama, on this machine",
    kind: "openai-compatible",
    baseUrl: "http://127.0.0.1:11434/v1",
    asksAddress: true,
    prefers: [/coder/, /^qwen3/]
  },
  {
    name: "llama-cpp",
    label: "llama.cpp (llama-server)",
    kind: "openai-compatible",
    baseUrl: "http://127.0.0.1:8080/v1",
    asksAddress: true
  },
  {
    name: "lm-studio",
    label: "LM Studio",
    kind: "openai-compatible",
    baseUrl: "http://127.0.0.1:1234/v1",
    asksAddress: true,
    prefers: [/coder/]
  },
  {
    name: "vllm",
    label: "vLLM, SGLang",
    kind: "openai-compatible",
    baseUrl: "http://127.0.0.1:8000/v1",
    asksAddress: true
  },
  {
    name: "openai-compatible",
    label: "OpenAI's API at another address",
    kind: "openai-compatible",
    asksAddress: true
  },
  {
    name: "anthropic-compatible",
    label: "Anthropic's API at another address",
    kind: "anthropic",
    asksAddress: true
  },
  { name: "offline", label: "built-in stand-in, follows scripts", kind: "offline" }
]

/** Whether its alias is made of its address, because several servers of the kind may be configured. */
export const isGeneric = ({ name }: KnownProvider): boolean => name.endsWith("-compatible")

/** `local` for this machine, else the name of the host without its ending: `models` for https://api.models.example/v1. */
export const aliasFor = (address: string): string => {
  const host = URL.parse(address)?.hostname ?? ""
  if (host === "localhost" || /^[\d.]+$|^\[/.test(host)) return "local"
  const words = host.split(".").filter((word) => !/^(www|api)$/.test(word))
  const name = (words.length > 1 ? words.at(-2) : words[0])?.replace(/[^A-Za-z0-9-]/g, "") ?? ""
  return name === "" || name === "default" || Object.hasOwn(builtIn, name) ? `${name || "own"}-server` : name
}
