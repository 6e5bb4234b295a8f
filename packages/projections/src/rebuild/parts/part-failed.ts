import type { Verdict } from '../../follow/verdict.ts'

/** Why a thread could not build its part, and what its own error was judged to be. `name` is that error's. */
export class PartFailed extends Error {
  override readonly name: string
  readonly verdict: Verdict
  constructor({ name, message, verdict }: Readonly<{ name: string; message: string; verdict: Verdict }>) {
    super(message)
    this.name = name
    this.verdict = verdict
  }
}
