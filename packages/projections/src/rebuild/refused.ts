/** The operator asked for what cannot be done now; the message says what to do. */
export class RebuildRefused extends Error {
  override readonly name = 'RebuildRefused'
}

/** Another process builds, compares or swaps the projection's tables. */
export function busy(projection: string): RebuildRefused {
  return new RebuildRefused(`Projection ${projection} is being rebuilt already: wait until that is done.`)
}
