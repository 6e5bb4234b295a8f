import { fairShare } from '@tidings/http'

/**
 * Makes records that are limited in number, each with its own stream, so that no stream knows the limit: a process makes one of a workspace after the other,
 * each once reads show the one before it. Two processes may pass the limit by one.
 */
export function oneByOne() {
  return fairShare({ each: 1, all: Number.POSITIVE_INFINITY })
}
