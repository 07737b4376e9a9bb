import type { Metadata } from "next";
import type { ReactNode } from "react";
import "generation-loop/generation-loop.css";
import "./page.css";

export const metadata: Metadata = { title: "With Next.js", icons: "data:," };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
