import type { Settled } from './settle-and-claim.ts'

/** Rounds do not wait for the disk: a crash of Postgres forgets at most its last moments (three times `wal_writer_delay`, 0.2 s unless set otherwise). */
const FORGETTABLE_MS = 5_000

type Round = Readonly<{ at: number; settled: readonly Settled[] }>

/** The settlements of the last rounds, kept as long as a crash of Postgres may make it forget them. */
export class RecentSettlements {
  #rounds: Round[] = []

  add(settled: readonly Settled[]): void {
    const at = performance.now()
    const kept = this.#rounds.findIndex((round) => round.at > at - FORGETTABLE_MS)
    this.#rounds.splice(0, kept === -1 ? this.#rounds.length : kept)
    if (settled.length > 0) this.#rounds.push({ at, settled })
  }

  /**
   * To be settled again after a fault, once: otherwise a job whose end was forgotten stays claimed until its lease ends. Where it was not
   * forgotten, its token is gone and nothing happens.
   */
  takeAll(): readonly Settled[] {
    return this.#rounds.splice(0).flatMap(({ settled }) => settled)
  }
}
