import type { DomainEvent } from '@tidings/domain'
import type { Written } from './append-to-log.ts'

// What the three example projections must find, counted the slow way: each row by looking through all events.

type Type = DomainEvent['type']
type WrittenEvent<T extends Type> = Readonly<{ workspaceId: string; at: string; data: Extract<DomainEvent, { type: T }>['data'] }>

const eventsOf = <T extends Type>(all: readonly Written[], type: T): readonly WrittenEvent<T>[] =>
  all.flatMap(({ workspaceId, events }) =>
    events.flatMap(({ at, event }) => (event.type === type ? [{ workspaceId, at, data: event.data as WrittenEvent<T>['data'] }] : [])),
  )

const distinct = (rows: readonly object[]): readonly object[] => [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()]

/** The rows in the order in which `projection rows` shows them: that of their columns. */
const sorted = <Row extends object>(rows: readonly Row[]): readonly Row[] =>
  rows.toSorted((a, b) => (JSON.stringify(Object.values(a)) < JSON.stringify(Object.values(b)) ? -1 : 1))

/** Opt-ins and opt-outs per workspace, day, channel and source. */
export function countOptIns(all: readonly Written[]): readonly object[] {
  const said = eventsOf(all, 'ContactConsentRecorded').map(({ workspaceId, at, data }) => ({
    place: JSON.stringify([workspaceId, at.slice(0, 10), data.channel, data.source]),
    isIn: data.from !== 'subscribed' && data.to === 'subscribed',
    isOut: data.from === 'subscribed' && data.to !== 'subscribed',
  }))
  const places = [...new Set(said.filter(({ isIn, isOut }) => isIn || isOut).map(({ place }) => place))]
  return sorted(
    places.map((place) => {
      const [workspace_id, day, channel, source] = JSON.parse(place) as readonly string[]
      const here = said.filter((each) => each.place === place)
      const [opt_ins, opt_outs] = [here.filter(({ isIn }) => isIn).length, here.filter(({ isOut }) => isOut).length]
      return { workspace_id, day, channel, source, opt_ins, opt_outs }
    }),
  )
}

/** What became of mail per workspace, domain and the hour in which it was sent; without `domains` under none. */
export function countDeliveries(all: readonly Written[], domains: boolean): readonly object[] {
  const sent = eventsOf(all, 'MessageSent')
  const placeOf = (messageId: string) => {
    const accepted = eventsOf(all, 'EmailAccepted').find(({ data }) => data.messageId === messageId)
    const at = sent.find(({ data }) => data.messageId === messageId)?.at ?? ''
    const domain = domains ? accepted?.data.to.split('@')[1]?.toLowerCase() : ''
    return { workspace_id: accepted?.workspaceId, domain, hour: new Date(`${at.slice(0, 13)}:00:00Z`).toISOString() }
  }
  const places = new Map(sent.map(({ data }) => [data.messageId, JSON.stringify(placeOf(data.messageId))]))
  const counted = (type: 'MessageSent' | 'MessageDelivered' | 'MessageBounced' | 'MessageComplained', place: string): number =>
    eventsOf(all, type).filter(({ data }) => places.get(data.messageId) === place).length
  return sorted(
    distinct([...places.values()].map((place) => JSON.parse(place) as object)).map((row) => {
      const place = JSON.stringify(row)
      const fates = { sent: counted('MessageSent', place), delivered: counted('MessageDelivered', place) }
      return { ...row, ...fates, bounced: counted('MessageBounced', place), complained: counted('MessageComplained', place) }
    }),
  )
}

const WEEK_MS = 7 * 24 * 3_600_000

/** People per workspace and event, and those of them who opened and clicked within a week after it. */
export function countFunnel(all: readonly Written[]): readonly object[] {
  const done = eventsOf(all, 'ActivityRecorded')
  const engaged = (type: 'EmailOpened' | 'EmailClicked', { workspaceId, data }: WrittenEvent<'ActivityRecorded'>): boolean =>
    eventsOf(all, type).some((each) => {
      const later = Date.parse(each.at) - Date.parse(data.occurredAt)
      const isSame = each.workspaceId === workspaceId && each.data.contactId === data.contactId
      return isSame && !each.data.machine && later >= 0 && later < WEEK_MS
    })
  const steps = distinct(done.map(({ workspaceId, data: { event } }) => ({ workspaceId, event }))) as readonly Step[]
  return sorted(
    steps.map(({ workspaceId, event }) => {
      const here = done.filter((each) => each.workspaceId === workspaceId && each.data.event === event)
      const people = (some: readonly WrittenEvent<'ActivityRecorded'>[]): number => new Set(some.map(({ data }) => data.contactId)).size
      const opened = people(here.filter((each) => engaged('EmailOpened', each)))
      return {
        workspace_id: workspaceId,
        event,
        people: people(here),
        opened,
        clicked: people(here.filter((each) => engaged('EmailClicked', each))),
      }
    }),
  )
}

type Step = Readonly<{ workspaceId: string; event: string }>
