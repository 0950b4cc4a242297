export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
}

const sgr = (open: number, close: number) => (text: string) =>
  text === "" ? "" : `\u001b[${open}m${text}\u001b[${close}m`
const same = (text: string) => text

const colours: Paint = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  cyan: sgr(36, 39)
}

const none: Paint = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same }

export const paint = (colour: boolean): Paint => colour ? colours : none
