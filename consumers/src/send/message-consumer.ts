import type { Consumer } from '@tidings/bus'
import type { Recorded } from '@tidings/codec'
import { comparePositions, type Position } from '@tidings/event-store'
import { messageLane, type NewJob, type RunningLanes, SEND_KINDS, type SendChannel } from '@tidings/jobs'
import type { Accepted } from './history.ts'

/** Marketing is admitted as jobs of a kind of its own: however much of it waits, transactional messages are claimed beside it (D18). */
export type Admitting = Readonly<{
  recent: Readonly<{ put: (accepted: Recorded<Accepted>) => void; clear: () => void }>
  transactional: AdmittingLanes
  marketing: AdmittingLanes
}>
type AdmittingLanes = Pick<RunningLanes, 'admit' | 'admission'>

const ACCEPTED = {
  email: 'EmailAccepted',
  sms: 'SmsAccepted',
  push: 'PushAccepted',
} as const satisfies Record<SendChannel, Accepted['type']>

/** Admits every accepted message of a channel: its lane is the contact's channel, its payload the message's id. */
export function messageConsumer(channel: SendChannel, { recent, ...lanes }: Admitting): Consumer {
  const { transactional, marketing } = lanes
  const priorities = inLockOrder(channel)
  let head: Position | null = null
  /** Remembers those that this process is the first to see, and gives the jobs of each kind. */
  const take = (events: readonly Recorded[]) => {
    const accepted = events as readonly Recorded<Accepted>[]
    for (const event of accepted) if (head !== null && comparePositions(event.position, head) > 0) recent.put(event)
    const jobsOf = (kind: Accepted['data']['kind']) =>
      accepted.filter(({ data }) => data.kind === kind).map((event) => jobOf(event, channel))
    return { transactional: jobsOf('transactional'), marketing: jobsOf('marketing') }
  }
  return {
    group: SEND_KINDS[channel].transactional,
    types: [ACCEPTED[channel]],
    opened: (position) => {
      head = position
      recent.clear()
    },
    effect: async (events) => {
      const jobs = take(events)
      if (jobs.marketing.length === 0) return transactional.admission(jobs.transactional)
      return jobs.transactional.length === 0 ? marketing.admission(jobs.marketing) : null
    },
    handle: async (events, tx) => {
      const jobs = take(events)
      const committed: (() => void)[] = []
      for (const one of priorities) committed.push(await lanes[one].admit(tx, jobs[one]))
      return () => {
        for (const begin of committed) begin()
      }
    },
  }
}

/** The locks of kinds are taken in the order of their names: a transaction that takes them otherwise and this one could wait for each other. */
const inLockOrder = (channel: SendChannel) =>
  (['transactional', 'marketing'] as const).toSorted((a, b) => (SEND_KINDS[channel][a] < SEND_KINDS[channel][b] ? -1 : 1))

const jobOf = ({ meta, data, position }: Recorded<Accepted>, channel: SendChannel): NewJob => ({
  workspaceId: meta.workspaceId,
  lane: messageLane(data.contactId, channel),
  seq: position.commit,
  payload: data.messageId,
})
