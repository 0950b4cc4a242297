import { Layer } from "effect"
import { Models } from "../model/Models.ts"
import { Gate } from "../policy/Gate.ts"
import * as ModelTurn from "../session/ModelTurn.ts"
import { Toolbox } from "../tool/Toolbox.ts"

/** The turn loop with its models, tools and gate. Loaded when a first session needs it. */
export const layer = ModelTurn.layer.pipe(Layer.provide([Models.layer, Toolbox.layer, Gate.layerReadsRun]))
