import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** `url` leads to the same database over TCP. */
export type ReachableDatabase = Readonly<{ url: string; close: () => void }>

/** The test Postgres listens in a folder that other users cannot enter; this lets them in, on a port of 127.0.0.1. */
export async function reachableByAnybody(databaseUrl: string): Promise<ReachableDatabase> {
  const url = new URL(databaseUrl)
  const folder = url.searchParams.get('host')
  if (folder === null) return { url: databaseUrl, close: () => undefined }
  const path = `${folder}/.s.PGSQL.${url.port || '5432'}`
  const server = createServer((socket) => {
    const postgres = connect(path)
    socket.pipe(postgres).pipe(socket)
    // Either side may hang up in the middle: the other one learns of it.
    socket.on('error', () => postgres.destroy())
    postgres.on('error', () => socket.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  return { url: url.href, close: () => server.close() }
}
