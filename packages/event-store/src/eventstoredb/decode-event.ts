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

/** Undefined for the server's own events (metadata, statistics, tombstones, links), which stay below the port. */
export function decodeEvent(recorded: Recorded): RecordedEvent | undefined {
  const metadata = recorded.getMetadataMap()
  const stream = utf8(recorded.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array())
  const type = metadata.get('type') ?? ''
  if (stream.startsWith('$') || type.startsWith('$')) return undefined
  return {
    id: recorded.getId()?.getString() ?? '',
    stream,
    type,
    revision: safeRevision(recorded.getStreamRevision()),
    position: positionOf(recorded),
    created: new Date(Number(BigInt(metadata.get('created') ?? '0') / TICKS_PER_MS)).toISOString(),
    data: utf8(recorded.getData_asU8()),
    meta: utf8(recorded.getCustomMetadata_asU8()),
  }
}
