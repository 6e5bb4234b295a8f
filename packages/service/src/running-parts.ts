type Stop = () => Promise<void>

/** The parts of a process that are running. Registering `undefined` does nothing: a role that the process does not have has no part. */
export type RunningParts = Readonly<{
  /** What others are built on. These stop one after the other, the last registered first, when no work comes in any more. */
  addFoundation: (stop: Stop | undefined) => void
  /** What takes in work: requests, jobs, events. These stop first, side by side, because each may wait for a log that is away. */
  addIntake: (stop: Stop | undefined) => void
  /** Stops each of them, also behind one whose stop fails, and rejects then with what failed. */
  stop: Stop
}>

export function createRunningParts(): RunningParts {
  const foundations: Stop[] = []
  const intakes: Stop[] = []
  return {
    addFoundation: (stop) => void (stop && foundations.push(stop)),
    addIntake: (stop) => void (stop && intakes.push(stop)),
    stop: async () => {
      const failures: unknown[] = []
      const ended = (stop: Stop): Promise<void> => stop().catch((error: unknown) => void failures.push(error))
      await Promise.all(intakes.map(ended))
      for (const stop of foundations.toReversed()) await ended(stop)
      if (failures.length > 1) throw new AggregateError(failures, 'several parts could not be stopped')
      if (failures.length === 1) throw failures[0]
    },
  }
}
