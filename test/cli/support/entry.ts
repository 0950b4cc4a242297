import { start } from "../../../src/cli/Main.ts"

start()
