import { Effect } from "effect"
import type { EffectiveSandbox } from "../../domain/PolicySettings.ts"
import { isMissing, type MissingSupport, type SandboxBackend } from "./Backend.ts"
import * as Bubblewrap from "./Bubblewrap.ts"
import { type BackendName, type EnforcementReport, plainRunner } from "../Confinement.ts"
import { type BackendChoice, unconfined } from "../../domain/SandboxBackend.ts"
import * as Docker from "./Docker.ts"
import * as Firejail from "./Firejail.ts"
import * as Landlock from "./Landlock.ts"
import { isScratch } from "../SandboxModes.ts"
import * as Seatbelt from "./Seatbelt.ts"
import type { FindProgram } from "./BackendProbe.ts"

/** Which backend holds a call to its mode and network on this machine. */

const names: { readonly [name: string]: BackendName | undefined } = {
  bubblewrap: "bubblewrap",
  bwrap: "bubblewrap",
  landlock: "landlock",
  seatbelt: "seatbelt",
  sandboxexec: "seatbelt",
  "sandbox-exec": "seatbelt",
  firejail: "firejail",
  docker: "docker"
}

/** Whether the configured backend can resolve to bubblewrap. */
export const mayBeBubblewrap = ({ name }: BackendChoice): boolean => name === "auto" || names[name] === "bubblewrap"

export const nothing: SandboxBackend = {
  name: "none",
  offer: (mode, network) => ({
    backend: "none",
    mode,
    network,
    files: "none",
    net: "none",
    processes: "none",
    notes: ["nothing is confined"]
  }),
  confine: (plan, { argv, env }) =>
    Effect.succeed({
      argv,
      env,
      cwd: plan.cwd,
      runner: plainRunner,
      report: nothing.offer(plan.mode, plan.network) as EnforcementReport
    })
}

interface ChosenBackend {
  readonly backend: SandboxBackend
  readonly report: EnforcementReport
}

/** The first of these that offers the combination; with none, what each of them lacks. */
const firstOf = (
  backends: ReadonlyArray<SandboxBackend>,
  mode: EffectiveSandbox,
  network: boolean,
  partial: boolean
): ChosenBackend | MissingSupport => {
  const lacking: Array<MissingSupport> = []
  for (const backend of backends) {
    const offer = backend.offer(mode, network)
    if (!isMissing(offer) && (offer.files !== "partial" || partial || isScratch(mode))) {
      return { backend, report: offer }
    }
    lacking.push(
      isMissing(offer)
        ? offer
        : {
          missing: `${backend.name} confines files only in part.`,
          remedy: "Allow partial sandboxes, or install bubblewrap."
        }
    )
  }
  return {
    missing: lacking.map(({ missing }) => missing).join(" ") || `no sandbox exists for ${process.platform}.`,
    remedy: lacking[0]?.remedy ?? "Use Linux or macOS."
  }
}

type ChooseBackend = (
  mode: EffectiveSandbox,
  network: boolean,
  wish?: BackendChoice
) => ChosenBackend | MissingSupport

/** `partial`: whether `auto` may come to a backend that confines files only in part. What was tried out is kept. */
export const makeChooser = (find: FindProgram, partial: () => boolean, scratchFolder: string): ChooseBackend => {
  const bubblewrap = Bubblewrap.make(find, scratchFolder)
  const automatic = process.platform === "darwin"
    ? [Seatbelt.make()]
    : process.platform === "linux"
    ? [bubblewrap, Landlock.make(find)]
    : []
  const wished = new Map<string, SandboxBackend | undefined>()

  const named = (wish: BackendChoice): SandboxBackend | undefined => {
    const key = JSON.stringify(wish)
    if (!wished.has(key)) {
      const all = [...automatic, Firejail.make(find, wish.firejailArgs ?? []), Docker.make(find, wish.dockerImage)]
      wished.set(key, all.find(({ name }) => name === names[wish.name]))
    }
    return wished.get(key)
  }

  return (mode, network, wish = { name: "auto" }) => {
    const { name: backend } = wish
    if (backend === unconfined || (mode === "danger-full-access" && network)) {
      return { backend: nothing, report: nothing.offer(mode, network) as EnforcementReport }
    }
    if (backend === "auto") return firstOf(automatic, mode, network, partial())
    const service = named(wish)
    if (service !== undefined) return firstOf([service], mode, network, true)
    return {
      missing: `the configured sandbox backend ${
        JSON.stringify(backend)
      } cannot confine anything on ${process.platform}.`,
      remedy:
        "Set sandbox_backend to auto, or choose the Sandbox mode danger-full-access where something around Postern is the sandbox."
    }
  }
}
