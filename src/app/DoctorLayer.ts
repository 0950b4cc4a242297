import { Layer } from "effect"
import { Agents } from "../session/lifecycle/Agents.ts"
import * as Diagnosis from "../session/doctor/Diagnosis.ts"
import { layerStore } from "./App.ts"
import { layerSandbox } from "./SandboxLayer.ts"

/** The checks of `postern doctor` and `doctor/run`. */
export const layer = Diagnosis.layer(layerStore).pipe(Layer.provide([Agents.layer, layerSandbox]))
