import { startEmbedded } from '../../src/embedded/start-embedded.ts'

/** A process that owns an embedded server, or joins it, as `tidings start` does: prints the address, then works until SIGTERM; Ctrl-C does not end it. */
const use = process.argv[3] === 'part' ? 'part' : 'whole'
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
try {
  const server = await startEmbedded({ dataDir: process.argv[2] ?? '', log: quiet, use })
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)))
  setInterval(() => undefined, 60_000)
  console.log(server.url)
} catch (error) {
  console.log(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
