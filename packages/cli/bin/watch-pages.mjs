// For `npm run dev`: makes the pages of the dashboard anew when a file that they may be made of changes. The service serves what was made last, at its own
// port and under the policy that it always has, so cookies, `Origin` and what the policy blocks are those of a real start.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { ROOT, recordOf } from './current-bundle.mjs'

const SOURCES = ['dashboard/src', 'domain/src', 'packages/contracts/src']
/** An editor writes a file in several steps. */
const QUIET_MS = 100

const made = () => (existsSync(recordOf('dashboard')) ? readFileSync(recordOf('dashboard'), 'utf8') : '')

/** One build at a time; what changes meanwhile is in the next. */
export function watchPages() {
  const state = { isMaking: false, isChanged: false, timer: undefined }
  const make = () => {
    if (state.isMaking) return
    Object.assign(state, { isMaking: true, isChanged: false })
    const before = made()
    const build = spawn(process.execPath, [join(ROOT, 'dashboard/build.mjs')], { stdio: ['ignore', 'inherit', 'inherit'] })
    build.on('exit', () => {
      state.isMaking = false
      if (made() !== before) process.stdout.write('The pages of the dashboard were made anew: load the page again.\n')
      if (state.isChanged) make()
    })
  }
  const note = () => {
    state.isChanged = true
    clearTimeout(state.timer)
    state.timer = setTimeout(make, QUIET_MS)
  }
  for (const folder of SOURCES) watch(join(ROOT, folder), { recursive: true }, note)
}
