import { useEffect, useRef } from 'react'
import { outside } from '../prefix.ts'
import styles from './posted-frame.module.css'

type Props = Readonly<{
  title: string
  /** Of the API, below `/api/v1`. */
  action: string
  fields: Readonly<Record<string, string>>
  narrow?: boolean
  dark?: boolean
}>

/**
 * What a form is answered, in a frame without script and of no origin. Each post has a new frame, which takes the place of the last one once it is
 * loaded: a second post into one frame would add a step to the history.
 */
export function PostedFrame({ title, action, fields, narrow = false, dark = false }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const posted = JSON.stringify(fields)
  useEffect(() => {
    const parent = place.current
    if (parent === null) return
    const { frame, form } = post(action, JSON.parse(posted))
    frame.title = title
    const isNew = parent.childElementCount === 0
    frame.hidden = !isNew
    parent.append(frame)
    document.body.append(form)
    form.submit()
    form.remove()
    const swap = (): void => {
      frame.hidden = false
      for (const other of [...parent.children]) if (other !== frame) other.remove()
    }
    frame.addEventListener('load', swap)
    return () => frame.removeEventListener('load', swap)
  }, [action, posted, title])
  return <div ref={place} className={styles.place} data-narrow={narrow} data-dark={dark} />
}

let count = 0

function post(action: string, fields: Readonly<Record<string, string>>) {
  const frame = document.createElement('iframe')
  frame.name = `posted-${count++}`
  frame.setAttribute('sandbox', '')
  frame.referrerPolicy = 'same-origin'
  const form = document.createElement('form')
  Object.assign(form, { method: 'post', action: outside(`/api/v1${action}`), target: frame.name, hidden: true })
  for (const [name, value] of Object.entries(fields)) {
    const field = document.createElement('textarea')
    Object.assign(field, { name, value })
    form.append(field)
  }
  return { frame, form }
}
