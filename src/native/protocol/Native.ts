import { Context, type Schema } from "effect"
import type { Rpc, RpcGroup } from "effect/rpc"
import { MemoryMethods, PersonalityMethods, SkillMethods, ToolMethods } from "./AgentContracts.ts"
import { ConfigMethods, SetupMethods } from "./ConfigContracts.ts"
import { ResultSchema } from "./Contract.ts"
import {
  CatalogueMethods,
  CoreMethods,
  CostMethods,
  EmergencyStopMethods,
  OneTimeCodeMethods,
  PairingMethods
} from "./DaemonContracts.ts"
import { FeedMethods } from "./FeedContracts.ts"
import { FileMethods } from "./FileContracts.ts"
import { AttachMethods, LifecycleMethods, TurnMethods, ViewMethods } from "./SessionContracts.ts"

/** Every method of the native protocol, in the order that `initialize` lists them. */
export class Native extends CoreMethods.merge(
  LifecycleMethods,
  TurnMethods,
  ViewMethods,
  AttachMethods,
  ConfigMethods,
  SetupMethods,
  FileMethods,
  MemoryMethods,
  FeedMethods,
  CatalogueMethods,
  SkillMethods,
  PersonalityMethods,
  CostMethods,
  ToolMethods,
  PairingMethods,
  EmergencyStopMethods,
  OneTimeCodeMethods
) {}

type Contracts = RpcGroup.Rpcs<typeof Native>
export type NativeMethod = Contracts["_tag"]
/** The contract of one method. */
export type ContractOf<M extends NativeMethod> = Rpc.ExtractTag<Contracts, M>
export type ParamsOf<M extends NativeMethod> = Rpc.PayloadConstructor<ContractOf<M>>
export type ResultOf<M extends NativeMethod> = Rpc.Success<ContractOf<M>>

/** The schema of each method's result. */
export const results: ReadonlyMap<string, Schema.Top> = new Map(
  Array.from(Native.requests, ([method, { annotations }]) => [method, Context.get(annotations, ResultSchema)])
)
