import type { Position } from '../port.ts'
import type { ProtobufReader } from './protobuf-reader.ts'

/** Field numbers of AllStreamPosition. */
const POSITION = { commit: 1, prepare: 2 } as const

/** A field of a message as text; empty where the message has none. */
export function textIn(message: ProtobufReader, field: number): string {
  let text = ''
  while (message.next()) if (message.field === field) text = message.text()
  return text
}

export function positionIn(message: ProtobufReader): Position {
  let [commit, prepare] = [0n, 0n]
  while (message.next()) {
    if (message.field === POSITION.commit) commit = message.bigint()
    else if (message.field === POSITION.prepare) prepare = message.bigint()
  }
  return { commit, prepare }
}
