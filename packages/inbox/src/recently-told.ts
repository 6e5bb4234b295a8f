import type { Settled } from './turn.ts'

/** Turns do not wait for the disk: a crash of Postgres forgets at most its last moments (three times `wal_writer_delay`, 0.2 s unless set otherwise). */
const FORGETTABLE_MS = 5_000

type Told = Readonly<{ at: number; settled: readonly Settled[] }>

/** What the last turns told the database, for as long as a crash of Postgres may make it forget that. */
export class RecentlyTold {
  private turns: Told[] = []

  note(settled: readonly Settled[]): void {
    const at = performance.now()
    const kept = this.turns.findIndex((told) => told.at > at - FORGETTABLE_MS)
    this.turns.splice(0, kept === -1 ? this.turns.length : kept)
    if (settled.length > 0) this.turns.push({ at, settled })
  }

  /**
   * To be told again after a fault, once: else a job whose end was forgotten is still claimed, by nobody, until its lease ends.
   * Where it was not forgotten, its token is gone and nothing happens.
   */
  afterFault(): readonly Settled[] {
    return this.turns.splice(0).flatMap(({ settled }) => settled)
  }
}
