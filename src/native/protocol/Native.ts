import { Catalogue } from "./CatalogueContracts.ts"
import { Configuration } from "./ConfigContracts.ts"
import { Core } from "./DaemonContracts.ts"
import { Costs } from "./CostContracts.ts"
import { Following } from "./FeedContracts.ts"
import { Files } from "./FileContracts.ts"
import { Memories } from "./AgentContracts.ts"
import { Personalities } from "./PersonalityContracts.ts"
import { Attaching, Lifecycle, Turns, Views } from "./SessionContracts.ts"
import { Setup } from "./SetupContracts.ts"
import { SkillBundles, SkillChanges } from "./SkillContracts.ts"
import { AgentTools } from "./ToolContracts.ts"

/** Every method of the protocol that this build serves. */
export class Native
  extends Core.merge(Lifecycle).merge(Turns).merge(Views).merge(Attaching).merge(Configuration).merge(Setup).merge(
    Files
  ).merge(Memories)
    .merge(Following)
    .merge(Catalogue)
    .merge(SkillBundles)
    .merge(SkillChanges)
    .merge(Personalities)
    .merge(Costs)
    .merge(AgentTools)
{}
