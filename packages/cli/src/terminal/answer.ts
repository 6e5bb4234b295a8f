/** Wrong usage that only the command itself can see, said in one sentence; the process ends with 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage'
}

/** The answer of a command: the record or list for scripts, and the lines for people. */
export type Answer = Readonly<{ json: unknown; lines: readonly string[] }>

/** A list as `--json` prints every list. */
export function listAnswer<T>(items: readonly T[], line: (item: T) => string, none: string): Answer {
  return {
    json: { items },
    lines: items.length === 0 ? [none] : items.map(line),
  }
}

/** One JSON document, or lines for people; nothing else ever goes to stdout. */
export function printAnswer({ json, lines }: Answer, asJson: boolean): void {
  process.stdout.write(asJson ? `${JSON.stringify(json)}\n` : lines.map((line) => `${line}\n`).join(''))
}
