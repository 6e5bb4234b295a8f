import type { Position } from '@tidings/event-store'

/** An event of the log as it is now. */
export type ActualLeaf = Readonly<{ hash: Buffer; position: Position; name: string }>

/** How the log differs from what the tree was made of, in a sentence each. */
export type Difference = Readonly<{
  problem: string | null
  /** How many leaves of the tree, and of the log, the sentence is about. */
  expected: number
  actual: number
}>

/** How far a place is looked for. */
export const WINDOW = 1_024

const textOf = (hash: Buffer): string => hash.toString('latin1')

/** Leaves that one side has passed and the other still waits for: their events were moved. */
export class MovedLeaves {
  readonly #expected = new Set<string>()
  readonly #actual = new Set<string>()

  /** Whether one is still awaited. It is not saved with a verification: one that went on from here would take the event for a forged one. */
  get isOpen(): boolean {
    return this.#expected.size > 0 || this.#actual.size > 0
  }

  /**
   * Says what happened where the log and the tree part. Both lists begin there; they reach as far as an event is looked for, or to the end.
   */
  difference(index: number, expected: readonly Buffer[], actual: readonly ActualLeaf[]): Difference {
    const [wanted, found] = [expected[0], actual[0]]
    if (wanted === undefined || found === undefined) throw new Error('one of the two has ended: there is nothing to compare')
    const at = String(found.position.commit)
    const [wantedAhead, foundAhead] = [
      actual.findIndex(({ hash }) => hash.equals(wanted)),
      expected.findIndex((hash) => hash.equals(found.hash)),
    ]
    const wantedMoved = this.#actual.delete(textOf(wanted))
    const foundMoved = this.#expected.delete(textOf(found.hash))
    if (wantedMoved || foundMoved) return { problem: null, expected: wantedMoved ? 1 : 0, actual: foundMoved ? 1 : 0 }
    if (wantedAhead >= 0 && foundAhead >= 0) {
      this.#expected.add(textOf(wanted))
      this.#actual.add(textOf(found.hash))
      return {
        problem: `In another order than it was signed stands ${found.name} (position ${at}): it was event ${index + foundAhead}, and is event ${index}.`,
        expected: 1,
        actual: 1,
      }
    }
    if (foundAhead >= 0)
      return {
        problem: `Missing before ${found.name} (position ${at}): ${foundAhead} ${foundAhead === 1 ? 'event that was' : 'events that were'} signed, from event ${index} on.`,
        expected: foundAhead,
        actual: 0,
      }
    if (wantedAhead >= 0) return { problem: `Added to what was signed: ${found.name} (position ${at}).`, expected: 0, actual: 1 }
    return { problem: `Changed after it was signed: ${found.name} (position ${at}), event ${index} of the log.`, expected: 1, actual: 1 }
  }
}
