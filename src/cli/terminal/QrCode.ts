import { generate } from "lean-qr"

const quiet = 2

/**
 * A text as a QR code, two rows of modules to a line. Light modules are drawn, so that it reads right on a dark ground;
 * `colour` makes the ground dark in any case.
 */
export const qrCode = (text: string, colour: boolean): string => {
  const code = generate(text)
  const isLight = (x: number, y: number) => !code.get(x, y)
  const lines: Array<string> = []
  for (let y = -quiet; y < code.size + quiet; y += 2) {
    let line = ""
    for (let x = -quiet; x < code.size + quiet; x++) {
      const [upper, lower] = [isLight(x, y), y + 1 < code.size + quiet && isLight(x, y + 1)]
      line += upper ? (lower ? "\u2588" : "\u2580") : lower ? "\u2584" : " "
    }
    lines.push(colour ? `\u001b[97;40m${line}\u001b[0m` : line)
  }
  return `${lines.join("\n")}\n`
}
