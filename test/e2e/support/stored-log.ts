import type { EventStore, RecordedEvent } from '@tidings/event-store'

const PAGE = 2_000

/** Every event as it is stored, personal data sealed, whichever store keeps the log. */
export async function storedEvents(store: EventStore): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = []
  for (let batch = await store.readAll('start', PAGE); ; batch = await store.readAll(batch.to, PAGE)) {
    events.push(...batch.events)
    if (batch.events.length === 0) return events
  }
}

/** The ids of what stands in the log about a workspace: equal before and after what writes nothing, whatever others do meanwhile. */
export async function eventsOfWorkspace(store: EventStore, workspaceId: string): Promise<readonly string[]> {
  return (await storedEvents(store)).filter(({ meta }) => meta.includes(workspaceId)).map(({ id }) => id)
}

/** The words that are anywhere in the stored log, in any case. */
export async function wordsInLog(store: EventStore, words: readonly string[]): Promise<readonly string[]> {
  const texts = (await storedEvents(store)).map(({ stream, type, data, meta }) => `${stream} ${type} ${data} ${meta}`.toLowerCase())
  return words.filter((word) => texts.some((text) => text.includes(word.toLowerCase())))
}
