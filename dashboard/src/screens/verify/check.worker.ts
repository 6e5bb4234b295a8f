import { checkChosen, type Question } from './check-chosen.ts'

// Beside the page, which answers while a large proof is checked.
self.addEventListener('message', ({ data }: MessageEvent<Question & Readonly<{ number: number }>>) => {
  void checkChosen(data).then((verdict) => self.postMessage({ number: data.number, verdict }))
})
