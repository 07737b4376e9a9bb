import { Loop } from "./loop";

export default function Page() {
  return (
    <main>
      <h1>With Next.js</h1>
      <p>
        The server sends the tag with what stands in it; in the browser the tag becomes the widget, by the one
        import of a client component.
      </p>
      <Loop />
    </main>
  );
}
