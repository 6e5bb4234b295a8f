/** `slow`: a mail has waited `callMs` for its answer. `late`: a command has waited `callMs`, or a mail `answerMs`. */
export type AnswerTimes = Readonly<{ callMs: number; answerMs: number; slow: () => void; late: (what: 'command' | 'mail') => void }>

/**
 * The time a session has for its next answer. At rest, or waiting for the answer to a command, or to a mail, which may be slow.
 * `heard`: a reply has come, and the next command has its full time.
 */
export type AnswerTimer = Readonly<{ command: () => void; heard: () => void; mail: () => void; rest: () => void }>

type State = 'resting' | 'command' | 'mail' | 'slow mail'

/** One timer a session, set again when it is due: an answer that comes in time costs a look at the clock. */
export function answerTimer({ callMs, answerMs, slow, late }: AnswerTimes): AnswerTimer {
  let state: State = 'resting'
  let since = 0
  let timer: NodeJS.Timeout | undefined
  const leftMs = (): number => since + (state === 'slow mail' ? answerMs : callMs) - performance.now()
  const arm = (): void => {
    timer ??= setTimeout(due, Math.max(1, leftMs())).unref()
  }
  const due = (): void => {
    timer = undefined
    if (state === 'resting') return
    if (leftMs() > 1) arm()
    else if (state === 'mail') {
      state = 'slow mail'
      arm()
      slow()
    } else late(state === 'command' ? 'command' : 'mail')
  }
  const enter = (next: State): void => {
    // The timer of a slow mail is far away; every other one is due before the new answer is late.
    if (state === 'slow mail') {
      clearTimeout(timer)
      timer = undefined
    }
    state = next
    since = performance.now()
    if (next !== 'resting') arm()
  }
  return {
    command: () => enter('command'),
    mail: () => enter('mail'),
    rest: () => enter('resting'),
    heard: () => {
      if (state === 'command') since = performance.now()
    },
  }
}
