import type { CommandRunner } from '@tidings/commands'
import type { Position } from '@tidings/event-store'
import type { ReadYourWrites } from '@tidings/projections'

type HappenedEvent = Readonly<{ type: string; data: unknown }>

/** What keeps messages back that may be waiting for a provider in any process. A consent counts where it is one no more; marketing does not follow an address that is given up. */
const STOPS: ReadonlySet<string> = new Set([
  'ContactSuppressed',
  'ContactErasureRequested',
  'ContactConsentRecorded',
  'ContactBrowserRemoved',
  'ContactEmailChanged',
  'ContactPhoneChanged',
  'CampaignPaused',
  'CampaignCancelled',
  'FlowPaused',
  'FlowRetired',
  'WorkspaceStatusChanged',
])

const isStop = ({ type, data }: HappenedEvent): boolean =>
  STOPS.has(type) && !(typeof data === 'object' && data !== null && 'to' in data && data.to === 'subscribed')

/** Whether it takes something from somebody who may have messages waiting: a contact that is new has none. */
function stopsMessages(events: readonly HappenedEvent[]): boolean {
  return events.some(isStop) && !events.some(({ type }) => type === 'ContactCreated')
}

type Answering = Readonly<{ commands: CommandRunner; readSide: ReadYourWrites }>

/**
 * The runner of what answers a person or a program: a command that stops messages is done when every live process has heard of it, so that after the
 * answer none of them hands another one over (M43, ADR 10). So is its repetition, while the first still waits. It is recorded whatever becomes of the
 * waiting: where a process was not heard of in time, or cannot be asked for, the read side answers `pending` for the position. `acknowledged`
 * resolves, at the latest after its own timeout.
 */
export function answerWhenStopped({ commands, readSide }: Answering, acknowledged: (position: Position) => Promise<boolean>): Answering {
  const unheard = new WeakSet<Position>()
  const untilHeard = async (position: Position): Promise<void> => {
    if (!(await acknowledged(position).catch(() => false))) unheard.add(position)
  }
  return {
    commands: {
      ...commands,
      execute: async (execution) => {
        const executed = await commands.execute(execution)
        const { position, events } = executed
        if (position !== null && (events.length === 0 || stopsMessages(events))) await untilHeard(position)
        return executed
      },
      writeTogether: async (drafts) => {
        const appended = await commands.writeTogether(drafts)
        const last = drafts.some(({ append }) => stopsMessages(append.events)) ? appended?.at(-1) : undefined
        if (last !== undefined) await untilHeard(last.position)
        return appended
      },
    },
    readSide: {
      wait: async (position, ...rest) => {
        const outcome = await readSide.wait(position, ...rest)
        return position !== null && unheard.has(position) ? 'pending' : outcome
      },
    },
  }
}
