import type { CommandRunner } from '@tidings/commands'
import type { Position } from '@tidings/event-store'

type Happened = Readonly<{ type: string; data: unknown }>

/** What keeps messages back that may be waiting for a provider in any process. A consent counts where it is one no more; marketing does not follow an address that is given up. */
const STOPS: ReadonlySet<string> = new Set([
  'ContactSuppressed',
  'ContactErasureRequested',
  'ContactConsentRecorded',
  'ContactBrowserRemoved',
  'ContactEmailChanged',
  'ContactPhoneChanged',
])

const isStop = ({ type, data }: Happened): boolean =>
  STOPS.has(type) && !(typeof data === 'object' && data !== null && 'to' in data && data.to === 'subscribed')

/** Whether it takes something from somebody who may have messages waiting: a contact that is new has none. */
function stopsMessages(events: readonly Happened[]): boolean {
  return events.some(isStop) && !events.some(({ type }) => type === 'ContactCreated')
}

/**
 * The runner of what answers a person or a program: a command that stops messages is done when every live process has heard of it, so that after the
 * answer none of them hands another one over (M43, ADR 10). `acknowledged` resolves, at the latest after its own timeout.
 */
export function answerWhenStopped(commands: CommandRunner, acknowledged: (position: Position) => Promise<unknown>): CommandRunner {
  return {
    ...commands,
    execute: async (execution) => {
      const executed = await commands.execute(execution)
      if (executed.position !== null && stopsMessages(executed.events)) await acknowledged(executed.position)
      return executed
    },
  }
}
