// Makes the pages of the dashboard, where the last ones are not current, by the rules of packages/cli/bin/bundle.mjs: `npm start` runs both.
// With `--fixed FOLDER` they are put there instead, for an image and for the package of npm, which never change.
// Where they cannot be made, the service starts without them and its page says so.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { gzip } from 'node:zlib'
import { currentOf, ROOT, stampOf } from '../packages/cli/bin/current-bundle.mjs'
import { draftOf, publish } from '../packages/cli/bin/keep-build.mjs'

const NAME = 'dashboard'
const HERE = import.meta.dirname
/** Without them nothing is installed: a tree of the image has none of this. */
const TOOLS = join(HERE, 'node_modules/vite')
/** What compresses well, and is large enough to be worth it. */
const COMPRESSED = /\.(js|css|svg)$/

const isOurs = (path) => path.startsWith(ROOT) && !path.includes('/node_modules/')

const note = (stamps, path) => {
  const file = relative(ROOT, path)
  stamps.set(file, stampOf(file))
}

/** Notes the state of each of our files before it is read: a file that is changed later makes the pages out of date. */
const sources = (stamps) => ({
  name: 'sources',
  enforce: 'pre',
  load(id) {
    const [path = ''] = id.replace(/^\0/, '').split('?')
    if (isOurs(path) && existsSync(path)) note(stamps, path)
    return null
  },
})

/** One file of its own for what every page needs and seldom changes: a new version of a screen leaves it in the browser's cache. */
// What the first page needs compresses better in one piece: 253 242 bytes in place of 256 007.
const groups = [
  { name: 'libraries', test: /node_modules[\\/](?:\.pnpm[\\/])?(react|react-dom|react-router|scheduler|@tanstack)[@+\\/]/ },
  { name: 'shell', test: /[\\/]dashboard[\\/]src[\\/](app|words[\\/](en|isolated|words)|ui[\\/]page)/ },
]

async function compress(folder) {
  const names = readdirSync(folder).filter((name) => COMPRESSED.test(name))
  const one = async (name) =>
    writeFileSync(join(folder, `${name}.gz`), await promisify(gzip)(readFileSync(join(folder, name)), { level: 9 }))
  await Promise.all(names.map(one))
}

async function makePages(fixed) {
  // Libraries leave out what they say to developers, whatever this process runs in.
  process.env.NODE_ENV = 'production'
  const draft = draftOf(NAME)
  const stamps = new Map()
  for (const path of [join(ROOT, 'pnpm-lock.yaml'), join(HERE, 'index.html'), import.meta.filename]) note(stamps, path)
  const { build } = await import('vite')
  await build({
    root: HERE,
    // Files name one another relatively; the service says in the page where they are (command-api/src/dashboard/page-answers.ts).
    base: './',
    configFile: false,
    envDir: false,
    logLevel: 'silent',
    publicDir: false,
    cacheDir: join(draft, '.vite'),
    plugins: [sources(stamps)],
    build: {
      outDir: draft,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // A page without script of its own in it, and no data: of scripts: the policy of the pages allows neither.
      assetsInlineLimit: 0,
      rolldownOptions: { output: { codeSplitting: { groups } } },
    },
  })
  await compress(join(draft, 'assets'))
  if (fixed === undefined) return publish(NAME, { stamps, main: 'index.html' })
  // Another disk may hold it.
  cpSync(draft, fixed, { recursive: true })
  rmSync(draft, { recursive: true })
}

/** The message as one line without colours. */
const sentenceOf = ({ message }) => stripVTControlCharacters(message).replace(/\s+/g, ' ').trim().slice(0, 500)

const [flag, folder] = process.argv.slice(2)
const fixed = flag === '--fixed' ? folder : undefined
if (process.env.TIDINGS_DASHBOARD !== '0' && (fixed !== undefined || currentOf(NAME) === null)) {
  try {
    if (!existsSync(TOOLS)) throw new Error('what it is made of is not installed.')
    await makePages(fixed)
  } catch (error) {
    process.stderr.write(`The dashboard could not be made, so the service starts without its pages: ${sentenceOf(error)}\n`)
    if (fixed !== undefined) process.exitCode = 1
  }
}
