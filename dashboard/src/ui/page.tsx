import { type ReactNode, useEffect } from 'react'
import { Link } from 'react-router'
import styles from './page.module.css'

type Props = Readonly<{
  title: string
  /** Where it belongs; `Escape` leads there. */
  back?: Readonly<{ to: string; text: string }>
  aside?: ReactNode
  actions?: ReactNode
  children: ReactNode
}>

/** A screen: its title has the focus when it is opened (app/route-announcer.tsx). */
export function Page({ title, back, aside, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Tidings`
  }, [title])
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        {back && (
          <Link to={back.to} className={styles.back} data-back>
            <span aria-hidden="true" className={styles.arrow}>
              ←
            </span>{' '}
            {back.text}
          </Link>
        )}
        <h1 tabIndex={-1} className={styles.title}>
          <bdi>{title}</bdi>
        </h1>
        {aside}
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  )
}
