// `npm run dev`: the service, started again when a file that it has loaded changes, and the pages of the dashboard, made anew when one of theirs does.
//
// On Ctrl-C the watch mode of Node passes SIGINT on to the service, which gets it from the terminal too, and a second signal ends the service
// at once, without stopping the embedded Postgres. So the watcher runs in its own process group, which only gets the signals sent here.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { watchPages } from './watch-pages.mjs'

const TIDINGS = join(import.meta.dirname, 'tidings.mjs')
const args = ['--watch', '--watch-preserve-output', TIDINGS, 'start', ...process.argv.slice(2)]

const watcher = spawn(process.execPath, args, {
  detached: true,
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, TIDINGS_FROM_SOURCE: '1', TIDINGS_PROCESSES: '1' },
})
if (process.env.TIDINGS_DASHBOARD !== '0') watchPages()
process.on('SIGINT', () => watcher.kill('SIGINT'))
process.on('SIGTERM', () => watcher.kill('SIGTERM'))
process.on('SIGHUP', () => watcher.kill('SIGTERM'))
watcher.on('exit', (code) => process.exit(code ?? 1))
