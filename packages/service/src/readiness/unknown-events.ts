import type { ConsumerProgress } from '@tidings/bus'
import type { RunningRelay } from '@tidings/bus/kafka'
import type { ReadinessCheck } from '@tidings/http'

const newer = (what: string, event: string): string => `${what} stands before ${event}, which a newer version wrote: start that version`

/** No consumer group stands still before an event that only a newer build knows. */
export const groupsKnowTheirEvents = (progress: () => Readonly<Record<string, ConsumerProgress>>): ReadinessCheck => {
  return async () => {
    const standing = Object.entries(progress()).flatMap(([group, { unknownEvent }]) =>
      unknownEvent === null ? [] : [newer(group, unknownEvent)],
    )
    if (standing.length > 0) throw new Error(standing.join('; '))
  }
}

/** The same of the relay. Beside an API nothing else of it counts: without Kafka requests are answered all the same. */
export const relayKnowsItsEvents = ({ progress }: RunningRelay): ReadinessCheck => {
  return async () => {
    const { unknownEvent } = progress()
    if (unknownEvent !== null) throw new Error(newer('the relay', unknownEvent))
  }
}
