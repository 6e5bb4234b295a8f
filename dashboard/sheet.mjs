// Shows every part of src/ui in its states, and again after each change: npm run sheet. With a FOLDER it puts the page there, for the tests of its looks.
// It asks no service, and is no part of the pages that the service serves.
import { join } from 'node:path'
import { build, createServer } from 'vite'

const shared = { root: import.meta.dirname, configFile: false, envDir: false, publicDir: false, logLevel: 'error' }
const [folder] = process.argv.slice(2)
if (folder === undefined) {
  const server = await createServer({ ...shared, cacheDir: 'node_modules/.cache/sheet', server: { host: '127.0.0.1' } })
  await server.listen()
  process.stdout.write(`${server.resolvedUrls?.local[0]}sheet.html\n`)
} else {
  process.env.NODE_ENV = 'production'
  const input = join(import.meta.dirname, 'sheet.html')
  await build({ ...shared, base: './', build: { outDir: folder, emptyOutDir: true, target: 'es2022', rolldownOptions: { input } } })
}
