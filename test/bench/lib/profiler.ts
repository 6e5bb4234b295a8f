import { writeFile } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'

/**
 * Loaded into the service by `--cpu-prof`: SIGUSR2 begins a V8 profile, the next one ends it. So it holds the load alone,
 * without the start and the warm-up, which `node --cpu-prof` would mix in.
 */
const state = { session: null as Session | null, profiles: 0 }

const begin = async (): Promise<void> => {
  const session = new Session()
  state.session = session
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 500 })
  await session.post('Profiler.start')
}

const end = async (session: Session): Promise<void> => {
  state.session = null
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  const file = `${process.pid}-${state.profiles++}.cpuprofile`
  await writeFile(join(process.env.BENCH_PROFILE_DIR ?? '.', file), JSON.stringify(profile))
}

process.on('SIGUSR2', () => void (state.session === null ? begin() : end(state.session)))
