import type { EventLog } from '@tidings/codec'
import type { Decider } from '@tidings/domain'
import type { RunnerLimits } from './cached-states.ts'
import { type Clock, systemClock } from './clock.ts'
import { writeTogether } from './draft.ts'
import type { CommandRunner, StoredEvent } from './execution.ts'
import { createStreamRunner, type StreamRunner } from './stream-runner.ts'

/** A cache of 8 MiB an aggregate holds about 8 000 contacts. */
const defaults: RunnerLimits = { deadlineMs: 2_000, maxWaiting: 1_000, cacheBytes: 8 * 1024 * 1024, cacheStreams: 8_192 }

type CommandRunnerOptions = Readonly<{ log: EventLog; clock?: Clock }> & Partial<RunnerLimits>

/** The command side of the log: one `execute` for every aggregate. Keeps its state caches and queues for as long as it lives. */
export function createCommandRunner({ log, clock = systemClock, ...limits }: CommandRunnerOptions): CommandRunner {
  const runners = new Map<unknown, unknown>()
  const caches: (() => void)[] = []

  /** The edge where a runner gets its types back: it is stored under the very decider whose types it has. */
  const runnerOf = <C, E extends StoredEvent, S>(decider: Decider<C, E, S>): StreamRunner<C, E, S> => {
    const known = runners.get(decider)
    if (known) return known as StreamRunner<C, E, S>
    const runner = createStreamRunner({ log, decider, clock, limits: { ...defaults, ...limits } })
    runners.set(decider, runner)
    caches.push(runner.clear)
    return runner
  }

  return {
    execute: (execution) => runnerOf(execution.decider).execute(execution),
    load: (loading) => runnerOf(loading.decider).load(loading),
    draft: (execution) => runnerOf(execution.decider).draft(execution),
    writesTogether: log.appendTogether !== undefined,
    writeTogether: (drafts) => writeTogether(log.appendTogether, drafts),
    clear: () => {
      for (const clear of caches) clear()
    },
  }
}
