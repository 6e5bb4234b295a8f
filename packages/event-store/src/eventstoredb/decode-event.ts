import type { Position, RecordedEvent } from '../port.ts'
import { safeRevision, type streams, utf8 } from './protobuf.ts'

type Recorded = streams.ReadResp.ReadEvent.RecordedEvent

const TICKS_PER_MS = 10_000n

export function positionOf(recorded: Recorded): Position {
  return {
    commit: BigInt(recorded.getCommitPosition()),
    prepare: BigInt(recorded.getPreparePosition()),
  }
}

/** Metadata, statistics, tombstones, links: they stay below the port. */
export function isOfServer({ stream, type }: Readonly<{ stream: string; type: string }>): boolean {
  return stream.startsWith('$') || type.startsWith('$')
}

export function createdAt(ticks: string): string {
  return new Date(Number(BigInt(ticks) / TICKS_PER_MS)).toISOString()
}

/** Undefined for the server's own events. */
export function decodeEvent(recorded: Recorded): RecordedEvent | undefined {
  const metadata = recorded.getMetadataMap()
  const stream = utf8(recorded.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array())
  const type = metadata.get('type') ?? ''
  if (isOfServer({ stream, type })) return undefined
  return {
    id: recorded.getId()?.getString() ?? '',
    stream,
    type,
    revision: safeRevision(recorded.getStreamRevision()),
    position: positionOf(recorded),
    created: createdAt(metadata.get('created') ?? '0'),
    data: utf8(recorded.getData_asU8()),
    meta: utf8(recorded.getCustomMetadata_asU8()),
  }
}
