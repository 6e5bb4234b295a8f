import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import { Metadata, status } from '@grpc/grpc-js'
import { MAX_MESSAGE } from './server-access.ts'

/** A message on the wire has in front of it whether it is compressed, and its length. */
const PREFIX_SIZE = 5

/** Says how a call ended, in the shape of the errors of gRPC. The code is OK if it ended without a fault. */
export type Ending = Error & Readonly<{ code: number }>

export function ending(code: status, details: string, metadata: Metadata = new Metadata()): Ending {
  return Object.assign(new Error(`${code} ${status[code]}: ${details}`), { code, details, metadata })
}

export function prefixOf(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(PREFIX_SIZE)
  prefix.writeUInt32BE(message.length, 1)
  return prefix
}

/** `onEnd` is called once, without an ending where the stream was lost; `onMessage` is not called afterwards. What `onMessage` throws ends the call. */
type Listeners = Readonly<{ onMessage: (message: Buffer) => void; onEnd: (said: Ending | undefined) => void }>

export function hearCall(stream: ClientHttp2Stream, { onMessage, onEnd }: Listeners): void {
  let said: Ending | undefined
  let isOver = false
  const over = (): void => {
    if (isOver) return
    isOver = true
    onEnd(said)
  }
  const messages = messageReader((message) => {
    if (!isOver) onMessage(message)
  })
  const hear = (headers: IncomingHttpHeaders): void => {
    said ??= endingIn(headers)
  }
  stream.on('response', hear)
  stream.on('trailers', hear)
  stream.on('data', (bytes: Buffer) => {
    // What follows an HTTP error is a page for people.
    if (said !== undefined) return
    try {
      messages(bytes)
    } catch (error) {
      said = ending(status.INTERNAL, error instanceof Error ? error.message : String(error))
      over()
    }
  })
  stream.on('error', (error) => {
    said ??= ending(status.UNAVAILABLE, error.message)
  })
  // A connection that is lost ends its stream, too; trailers that come with an end arrive behind it.
  for (const event of ['end', 'close']) stream.on(event, () => setImmediate(over))
}

/** Takes bytes as they come, and gives each whole message. */
const messageReader = (onMessage: (message: Buffer) => void): ((bytes: Buffer) => void) => {
  let pieces: Buffer[] = []
  let size = 0
  let wanted = PREFIX_SIZE
  return (bytes) => {
    pieces.push(bytes)
    size += bytes.length
    if (size < wanted) return
    const all = pieces.length === 1 ? bytes : Buffer.concat(pieces)
    let at = 0
    for (;;) {
      wanted = all.length - at < PREFIX_SIZE ? PREFIX_SIZE : PREFIX_SIZE + lengthAt(all, at)
      if (all.length - at < wanted) break
      onMessage(all.subarray(at + PREFIX_SIZE, at + wanted))
      at += wanted
    }
    pieces = at === all.length ? [] : [all.subarray(at)]
    size = all.length - at
  }
}

const lengthAt = (bytes: Buffer, at: number): number => {
  const length = bytes.readUInt32BE(at + 1)
  if (bytes[at] !== 0) throw new RangeError('EventStoreDB sent a compressed message')
  if (length > MAX_MESSAGE) throw new RangeError(`EventStoreDB sent a message of ${length} bytes`)
  return length
}

/** Reads how a call ended (gRPC over HTTP/2, Responses); undefined if the headers do not end it. */
const endingIn = (headers: IncomingHttpHeaders): Ending | undefined => {
  const http = Number(headers[':status'] ?? 200)
  const code = headers['grpc-status']
  if (code === undefined) return http === 200 ? undefined : ending(codeOfHttp(http), `EventStoreDB answered with HTTP status ${http}`)
  return ending(Number(code), decodedMessage(String(headers['grpc-message'] ?? '')), metadataIn(headers))
}

const metadataIn = (headers: IncomingHttpHeaders): Metadata => {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || name.startsWith(':') || name.endsWith('-bin')) continue
    try {
      metadata.set(name, value)
    } catch {
      // HTTP/2 permits names and values that gRPC does not; nothing here asks for one of those.
    }
  }
  return metadata
}

const codeOfHttp = (http: number): status => {
  if (http === 401) return status.UNAUTHENTICATED
  if (http === 403) return status.PERMISSION_DENIED
  if (http === 404) return status.UNIMPLEMENTED
  return http === 429 || http >= 502 ? status.UNAVAILABLE : status.UNKNOWN
}

const decodedMessage = (message: string): string => {
  try {
    return decodeURIComponent(message)
  } catch {
    return message
  }
}
