// Renders the document this server serves. Nothing is loaded from elsewhere.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
