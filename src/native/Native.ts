import { Catalogue } from "./CatalogueContracts.ts"
import { Configuration } from "./ConfigContracts.ts"
import { Core } from "./Core.ts"
import { Following } from "./FeedContracts.ts"
import { Files } from "./FileContracts.ts"
import { Memories } from "./MemoryContracts.ts"
import { Setup } from "./SetupContracts.ts"
import { Lifecycle, Turns, Views } from "./SessionContracts.ts"

/** Every method of the protocol that this build serves. */
export class Native
  extends Core.merge(Lifecycle).merge(Turns).merge(Views).merge(Configuration).merge(Setup).merge(Files).merge(Memories)
    .merge(
      Following
    ).merge(Catalogue)
{}
