import { Textarea } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Code } from './code.tsx'
import styles from './code-editor.module.css'
import type { Editor, MergeWord } from './code-mirror.ts'
import { Loading } from './loading.tsx'

type Props = Readonly<{ label: string; value: string; words: readonly MergeWord[]; onChange: (value: string) => void }>

const load = () => import('./code-mirror.ts')

/** HTML that is written, with its merge tags offered behind `{{`. Where the editor cannot be loaded, a plain field stands in its place. */
export function CodeEditor({ label, value, words, onChange }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor | null>(null)
  const now = useRef({ value, words, onChange })
  now.current = { value, words, onChange }
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading')
  useEffect(() => {
    let isGone = false
    load().then(
      ({ createEditor }) => {
        if (isGone || place.current === null) return
        editor.current = createEditor(place.current, {
          value: now.current.value,
          label,
          words: () => now.current.words,
          onChange: (next) => now.current.onChange(next),
        })
        setState('ready')
      },
      () => setState('failed'),
    )
    return () => {
      isGone = true
      editor.current?.destroy()
      editor.current = null
    }
  }, [label])
  useEffect(() => editor.current?.show(value), [value])
  if (state === 'failed')
    return <Textarea label={label} dir="ltr" rows={16} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
  return (
    <div>
      <div className={styles.label} aria-hidden="true">
        {label}
      </div>
      {state === 'loading' && <Loading />}
      <div ref={place} className={styles.editor} />
    </div>
  )
}

type DifferenceProps = Readonly<{ before: string; after: string; label: string; children: ReactNode }>

/**
 * Two texts, as what the second has that the first has not; where that cannot be loaded, the second. `children`, the choice that is made by it, comes
 * once the difference is there: it would move away below the pointer that presses it.
 */
export function CodeDifference({ before, after, label, children }: DifferenceProps) {
  const place = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading')
  useEffect(() => {
    let shown: Editor | null = null
    let isGone = false
    load().then(
      ({ showDifference }) => {
        if (isGone || place.current === null) return
        shown = showDifference(place.current, { before, after, label })
        setState('ready')
      },
      () => setState('failed'),
    )
    return () => {
      isGone = true
      shown?.destroy()
    }
  }, [before, after, label])
  return (
    <>
      {state === 'loading' && <Loading />}
      {state === 'failed' ? <Code label={label} text={after} /> : <div ref={place} className={styles.editor} />}
      {state !== 'loading' && children}
    </>
  )
}
