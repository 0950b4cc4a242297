import { Effect } from "effect"
import type { EffectiveSandbox } from "../../domain/PolicySettings.ts"
import { isInside } from "../../platform/FilePath.ts"
import { quoted } from "../../platform/QuotedName.ts"
import {
  type BackendCommand,
  bubblewrapRefusal,
  memoized,
  type MissingSupport,
  readRefusal,
  type SandboxBackend
} from "./Backend.ts"
import { type ConfinedCommand, type EnforcementReport, plainRunner, SandboxUnavailable } from "../Confinement.ts"
import { isScratch } from "../SandboxModes.ts"
import { cacheOf, type Plan } from "../plan/Plan.ts"
import { mountPoints, sourceOf } from "../PrivateTmp.ts"
import * as BackendProbe from "./BackendProbe.ts"

const volume = (path: string, readOnly: boolean, target = path): ReadonlyArray<string> => [
  "--mount",
  `type=bind,source=${path},target=${target}${readOnly ? ",readonly" : ""}`
]

/** Folders keep their paths, so that what a command prints means the same outside. */
export const options = (plan: Plan, command: Pick<BackendCommand, "env">, user: string): ReadonlyArray<string> => [
  "run",
  "--rm",
  "--init",
  "--read-only",
  ...(plan.temporary === undefined
    ? ["--tmpfs", "/tmp"]
    : mountPoints.flatMap((path) => volume(sourceOf(plan.temporary!, path), plan.mode === "read-only", path))),
  ...(plan.temporary?.full === true ? ["--ulimit", "fsize=0"] : []),
  "--cap-drop",
  "ALL",
  "--security-opt",
  "no-new-privileges",
  "--pids-limit",
  "512",
  "-u",
  user,
  ...(plan.network ? [] : ["--network", "none"]),
  ...plan.readable.flatMap((path) => volume(path, true)),
  ...plan.roots.flatMap((path) => volume(path, plan.mode !== "workspace-write")),
  ...cacheOf(plan).flatMap((path) => volume(path, false)),
  ...plan.pinned.flatMap((path) => volume(path, false)),
  ...plan.readOnly.flatMap((path) => volume(path, true)),
  ...plan.masks.filter(({ path }) => plan.roots.some((root) => isInside(root, path)))
    .flatMap(({ folder, path }) =>
      folder ? ["--tmpfs", `${path}:ro`] : ["--mount", `type=bind,source=/dev/null,target=${path},readonly`]
    ),
  ...plan.visible.filter(({ link, path }) => link === undefined && plan.roots.some((root) => isInside(root, path)))
    .flatMap(({ path }) => volume(path, true)),
  "-w",
  plan.cwd,
  ...Object.entries(command.env).filter(([name]) => name !== "PATH" && name !== "HOME").flatMap((
    [name, value]
  ) => ["-e", `${name}=${value}`])
]

/** Only where the configuration names it: the image is a different world, with its own programs. */
export const make = (find: BackendProbe.FindProgram, image: string | undefined): SandboxBackend => {
  const offer = memoized((mode: EffectiveSandbox, network: boolean): EnforcementReport | MissingSupport => {
    const program = find("docker")
    if (program === undefined) {
      return { missing: "docker is not installed.", remedy: "Install docker, or set sandbox_backend to auto." }
    }
    if (image === undefined) {
      return { missing: "no docker image is configured.", remedy: "Name an image, or set sandbox_backend to auto." }
    }
    if (isScratch(mode) || mode === "danger-full-access") {
      return { missing: `docker has no mode ${mode}.`, remedy: "Set sandbox_backend to auto." }
    }
    const outcome = BackendProbe.run([program, "image", "inspect", "--format", "{{.Id}}", image], [])
    if (!outcome.works) {
      return {
        missing: `docker cannot run the image ${image} (${outcome.said}).`,
        remedy: `Start docker and run "docker pull ${image}".`
      }
    }
    return {
      backend: "docker",
      mode,
      network,
      files: "full",
      net: network ? "none" : "full",
      processes: "partial",
      notes: [
        "commands see the programs of the image, and nothing of this machine but the folders of the session",
        "a container outlives a host that is killed",
        "docker mounts by path: a command that runs at the same time can mislead a start with links"
      ]
    }
  })
  const confine = Effect.fnUntraced(function*(plan: Plan, command: BackendCommand) {
    const report = offer(plan.mode, plan.network)
    const program = find("docker")
    if ("missing" in report || program === undefined || image === undefined) {
      return yield* new SandboxUnavailable("missing" in report ? report : { missing: "docker", remedy: "" })
    }
    const bad = [...plan.roots, ...plan.readable, ...cacheOf(plan), ...plan.readOnly].find((path) =>
      /[,"\n]/.test(path)
    )
    if (bad !== undefined) {
      return yield* new SandboxUnavailable({
        missing: `docker cannot name the path ${quoted(bad)}.`,
        remedy: "Set sandbox_backend to auto."
      })
    }
    return {
      argv: [
        program,
        ...options(plan, command, `${process.geteuid?.() ?? 0}:${process.getegid?.() ?? 0}`),
        image,
        ...command.argv
      ],
      env: command.env,
      cwd: plan.cwd,
      runner: {
        ...plainRunner,
        attribute: (ending) =>
          ending.code === 125
            ? { kind: "runner-failed", note: ending.stderr.trim().split("\n").at(-1) ?? "" }
            : readRefusal(ending, plan, bubblewrapRefusal)
      },
      report
    } satisfies ConfinedCommand
  })
  return { name: "docker", offer, confine }
}
