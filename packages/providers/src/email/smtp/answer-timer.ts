/** `onSlow`: a mail has waited `callMs` for its answer. `onTimeout`: a command has waited `callMs`, or a mail `answerMs`. */
type AnswerTimes = Readonly<{ callMs: number; answerMs: number; onSlow: () => void; onTimeout: (what: 'command' | 'mail') => void }>

/**
 * The time a session has for its next answer. It is idle, or waits for the answer to a command, or to a mail; the latter may become slow.
 * `replyReceived`: the next command has its full time.
 */
export type AnswerTimer = Readonly<{ command: () => void; replyReceived: () => void; mail: () => void; idle: () => void }>

type State = 'idle' | 'command' | 'mail' | 'slow mail'

/** One timer a session, set again when it is due: an answer in time costs one reading of the clock. */
export function createAnswerTimer({ callMs, answerMs, onSlow, onTimeout }: AnswerTimes): AnswerTimer {
  let state: State = 'idle'
  let since = 0
  let timer: NodeJS.Timeout | undefined
  const leftMs = (): number => since + (state === 'slow mail' ? answerMs : callMs) - performance.now()
  const arm = (): void => {
    timer ??= setTimeout(due, Math.max(1, leftMs())).unref()
  }
  const due = (): void => {
    timer = undefined
    if (state === 'idle') return
    if (leftMs() > 1) arm()
    else if (state === 'mail') {
      state = 'slow mail'
      arm()
      onSlow()
    } else onTimeout(state === 'command' ? 'command' : 'mail')
  }
  const enter = (next: State): void => {
    // The timer of a slow mail is due much later; every other one is due before the new answer is late.
    if (state === 'slow mail') {
      clearTimeout(timer)
      timer = undefined
    }
    state = next
    since = performance.now()
    if (next !== 'idle') arm()
  }
  return {
    command: () => enter('command'),
    mail: () => enter('mail'),
    idle: () => enter('idle'),
    replyReceived: () => {
      if (state === 'command') since = performance.now()
    },
  }
}
