import type { Recorded } from '@tidings/codec'

/** What the workspace's retention has ended of an event: `client` is address and user agent, `content` what a message says. */
export function endedOf({
  ended,
}: Readonly<{ ended?: Recorded['ended'] | undefined }>): Readonly<{ endedByRetention?: Recorded['ended'] }> {
  return ended === undefined ? {} : { endedByRetention: ended }
}
