import { Unavailable } from '../errors.ts'
import type { ExpectedRevision, StreamLimits } from '../port.ts'
import type { Appender } from './appender.ts'
import type { Reader } from './reader.ts'

const ATTEMPTS = 5

/** Writes the stream's metadata event at its revision, keeping other entries; starts again after a concurrent write. */
export async function setStreamLimits(
  parts: Readonly<{ reader: Reader; appender: Appender }>,
  stream: string,
  limits: StreamLimits,
): Promise<void> {
  const metastream = `$$${stream}`
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const last = await parts.reader.lastOf(metastream)
    const data = JSON.stringify({ ...keep(last?.event.data ?? '{}'), ...metadataOf(limits) })
    const expected: ExpectedRevision = last?.event.revision ?? 'no_stream'
    const event = { id: crypto.randomUUID(), type: '$metadata', data, meta: '' }
    const outcome = await parts.appender.append({ stream: metastream, expected, events: [event] })
    if (outcome.kind === 'written') return
    if (outcome.kind !== 'wrong_revision') throw new Unavailable(`EventStoreDB refused the limits of ${stream}`)
  }
  throw new Unavailable(`the limits of ${stream} were changed ${ATTEMPTS} times by others meanwhile`)
}

/** A soft-deleted stream's `$tb` is the largest int64, which JSON.parse rounds; left out, the server sets it to hide what it hid. */
const keep = (json: string): Record<string, unknown> => {
  const metadata: Record<string, unknown> = JSON.parse(json)
  const { $tb, ...rest } = metadata
  return typeof $tb === 'number' && Number.isSafeInteger($tb) ? metadata : rest
}

const metadataOf = ({ truncateBefore, maxCount, maxAgeSeconds }: StreamLimits): Record<string, number> => ({
  ...(truncateBefore !== undefined && { $tb: truncateBefore }),
  ...(maxCount !== undefined && { $maxCount: maxCount }),
  ...(maxAgeSeconds !== undefined && { $maxAge: maxAgeSeconds }),
})
