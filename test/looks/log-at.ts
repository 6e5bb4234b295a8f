import type { AppendContext, EventLog } from '@tidings/codec'

type Contexts = AppendContext | readonly AppendContext[]

const isEach = (contexts: Contexts): contexts is readonly AppendContext[] => Array.isArray(contexts)

/** The log as a process would write it whose clock stands at this moment. */
export function logAt(log: EventLog, at: string): EventLog {
  const dated = (contexts: Contexts): Contexts => (isEach(contexts) ? contexts.map((one) => ({ ...one, at })) : { ...contexts, at })
  return {
    ...log,
    append: (stream, expected, events, contexts) => log.append(stream, expected, events, dated(contexts)),
    appendTogether: undefined,
  }
}
