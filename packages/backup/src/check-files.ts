import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { OperationFailed } from '@tidings/config'
import type { Manifest } from './manifest.ts'
import { places } from './places.ts'

const sha256Of = async (file: string, onBytes: (bytes: number) => void): Promise<string> => {
  const hash = createHash('sha256')
  const sink = new Writable({
    write: (piece: Buffer, _encoding, done) => {
      hash.update(piece)
      onBytes(piece.length)
      done()
    },
  })
  await pipeline(createReadStream(file), sink)
  return hash.digest('hex')
}

/** Throws one sentence for the first file of a backup that is missing or not as it was written. `onBytes` gets how many more were read. */
export async function checkFiles(directory: string, { tables }: Manifest, onBytes: (count: number) => void): Promise<void> {
  for (const { name, sha256 } of tables) {
    const file = places(directory).table(name)
    const found = await sha256Of(file, onBytes).catch((error: NodeJS.ErrnoException) => {
      throw new OperationFailed(`${file} cannot be read (${error.code}): the backup is damaged, use another one.`)
    })
    if (found !== sha256) throw new OperationFailed(`${file} is not what was backed up: the backup is damaged, use another one.`)
  }
}
