/* schema.c -- the messages of TensorFlow's files, as far as they are used: tensor.proto, attr_value.proto, node_def.proto,
 * function.proto, graph.proto, meta_graph.proto, saved_model.proto, saved_object_graph.proto, tensor_bundle.proto.
 */
#include "tensorflow/tensorflow.h"

#define F   OX_FIELD
#define M   OX_FIELD_OF
#define END OX_FIELD_END

static const OxField dim_fields[] = {F(1, INT, TgDim, size), END};
static const OxMessage dim_message = {"TensorShapeProto.Dim", sizeof(TgDim), dim_fields};
static const OxField shape_fields[] = {M(2, MESSAGES, TgShape, dims, dim_message),
                                       F(3, INT, TgShape, unknown_rank), END};
static const OxMessage shape_message = {"TensorShapeProto", sizeof(TgShape),
                                        shape_fields};

static const OxField tensor_fields[] = {F(1, INT, TgTensor, type),
                                        M(2, MESSAGE, TgTensor, shape, shape_message),
                                        F(4, BYTES, TgTensor, content),
                                        F(5, FLOATS, TgTensor, floats),
                                        F(6, DOUBLES, TgTensor, doubles),
                                        F(7, INTS, TgTensor, ints),
                                        F(8, BYTE_LIST, TgTensor, strings),
                                        F(9, FLOATS, TgTensor, complexes),
                                        F(10, INTS, TgTensor, longs),
                                        F(11, INTS, TgTensor, bools),
                                        F(12, DOUBLES, TgTensor, dcomplexes),
                                        F(13, INTS, TgTensor, halves),
                                        F(16, INTS, TgTensor, uints),
                                        F(17, INTS, TgTensor, ulongs),
                                        END};
const OxMessage tg_tensor_message = {"TensorProto", sizeof(TgTensor), tensor_fields};

static const OxField func_fields[] = {F(1, TEXT, TgFunc, name), END};
static const OxMessage func_message = {"NameAttrList", sizeof(TgFunc), func_fields};
static const OxField list_fields[] = {F(2, BYTE_LIST, TgList, s),
                                      F(3, INTS, TgList, i),
                                      F(4, FLOATS, TgList, f),
                                      F(5, INTS, TgList, b),
                                      F(6, INTS, TgList, type),
                                      M(7, MESSAGES, TgList, shape, shape_message),
                                      M(9, MESSAGES, TgList, func, func_message),
                                      END};
static const OxMessage list_message = {"AttrValue.ListValue", sizeof(TgList),
                                       list_fields};
static const OxField attr_fields[] = {M(1, MESSAGE, TgAttr, list, list_message),
                                      F(2, BYTES, TgAttr, s),
                                      F(3, INT, TgAttr, i),
                                      F(4, FLOAT, TgAttr, f),
                                      F(5, INT, TgAttr, b),
                                      F(6, INT, TgAttr, type),
                                      M(7, MESSAGE, TgAttr, shape, shape_message),
                                      M(8, MESSAGE, TgAttr, tensor, tg_tensor_message),
                                      M(10, MESSAGE, TgAttr, func, func_message),
                                      END};
static const OxMessage attr_message = {"AttrValue", sizeof(TgAttr), attr_fields};
static const OxField attr_entry_fields[] = {
    F(1, TEXT, TgAttrEntry, key), M(2, MESSAGE, TgAttrEntry, value, attr_message), END};
static const OxMessage attr_entry_message = {"NodeDef.AttrEntry", sizeof(TgAttrEntry),
                                             attr_entry_fields};

static const OxField node_fields[] = {
    F(1, TEXT, TgNode, name), F(2, TEXT, TgNode, op), F(3, TEXTS, TgNode, in),
    M(5, MESSAGES, TgNode, attrs, attr_entry_message), END};
const OxMessage tg_node_message = {"NodeDef", sizeof(TgNode), node_fields};

static const OxField arg_fields[] = {F(1, TEXT, TgArg, name), F(3, INT, TgArg, type),
                                     END};
static const OxMessage arg_message = {"OpDef.ArgDef", sizeof(TgArg), arg_fields};
static const OxField op_def_fields[] = {F(1, TEXT, TgOpDef, name),
                                        M(2, MESSAGES, TgOpDef, in, arg_message),
                                        M(3, MESSAGES, TgOpDef, out, arg_message), END};
static const OxMessage op_def_message = {"OpDef", sizeof(TgOpDef), op_def_fields};
static const OxField text_fields[] = {F(1, TEXT, TgText, key), F(2, TEXT, TgText, value),
                                      END};
static const OxMessage text_message = {"FunctionDef.RetEntry", sizeof(TgText),
                                       text_fields};
static const OxField arg_attrs_fields[] = {
    M(1, MESSAGES, TgArgAttrs, attrs, attr_entry_message), END};
static const OxMessage arg_attrs_message = {"FunctionDef.ArgAttrs", sizeof(TgArgAttrs),
                                            arg_attrs_fields};
static const OxField arg_entry_fields[] = {
    F(1, INT, TgArgEntry, key), M(2, MESSAGE, TgArgEntry, value, arg_attrs_message), END};
static const OxMessage arg_entry_message = {"FunctionDef.ArgAttrEntry",
                                            sizeof(TgArgEntry), arg_entry_fields};
static const OxField function_fields[] = {
    M(1, MESSAGE, TgFunction, signature, op_def_message),
    M(3, MESSAGES, TgFunction, nodes, tg_node_message),
    M(4, MESSAGES, TgFunction, ret, text_message),
    M(6, MESSAGES, TgFunction, control_ret, text_message),
    M(7, MESSAGES, TgFunction, arg_attrs, arg_entry_message),
    END};
static const OxMessage function_message = {"FunctionDef", sizeof(TgFunction),
                                           function_fields};
static const OxField library_fields[] = {
    M(1, MESSAGES, TgLibrary, functions, function_message), END};
static const OxMessage library_message = {"FunctionDefLibrary", sizeof(TgLibrary),
                                          library_fields};
static const OxField graph_fields[] = {
    M(1, MESSAGES, TgGraphDef, nodes, tg_node_message),
    M(2, MESSAGE, TgGraphDef, library, library_message), END};
const OxMessage tg_graph_message = {"GraphDef", sizeof(TgGraphDef), graph_fields};

static const OxField info_fields[] = {F(1, TEXT, TgInfo, name), F(2, INT, TgInfo, type),
                                      M(3, MESSAGE, TgInfo, shape, shape_message), END};
static const OxMessage info_message = {"TensorInfo", sizeof(TgInfo), info_fields};
static const OxField info_entry_fields[] = {
    F(1, TEXT, TgInfoEntry, key), M(2, MESSAGE, TgInfoEntry, value, info_message), END};
static const OxMessage info_entry_message = {"SignatureDef.InputsEntry",
                                             sizeof(TgInfoEntry), info_entry_fields};
static const OxField signature_fields[] = {
    M(1, MESSAGES, TgSignature, in, info_entry_message),
    M(2, MESSAGES, TgSignature, out, info_entry_message), END};
static const OxMessage signature_message = {"SignatureDef", sizeof(TgSignature),
                                            signature_fields};
static const OxField signature_entry_fields[] = {
    F(1, TEXT, TgSignatureEntry, key),
    M(2, MESSAGE, TgSignatureEntry, value, signature_message), END};
static const OxMessage signature_entry_message = {
    "MetaGraphDef.SignatureDefEntry", sizeof(TgSignatureEntry), signature_entry_fields};
static const OxField saver_fields[] = {F(1, TEXT, TgSaver, filename),
                                       F(3, TEXT, TgSaver, restore), END};
static const OxMessage saver_message = {"SaverDef", sizeof(TgSaver), saver_fields};

static const OxField ref_fields[] = {F(1, INT, TgRef, node), F(2, TEXT, TgRef, name),
                                     END};
static const OxMessage ref_message = {"ObjectReference", sizeof(TgRef), ref_fields};
static const OxField saved_function_fields[] = {F(1, TEXTS, TgSavedFunction, concrete),
                                                END};
static const OxMessage saved_function_message = {"SavedFunction", sizeof(TgSavedFunction),
                                                 saved_function_fields};
static const OxField bare_fields[] = {F(1, TEXT, TgBareFunction, concrete), END};
static const OxMessage bare_message = {"SavedBareConcreteFunction",
                                       sizeof(TgBareFunction), bare_fields};
static const OxField variable_fields[] = {
    F(1, INT, TgSavedVariable, type),
    M(2, MESSAGE, TgSavedVariable, shape, shape_message),
    F(3, INT, TgSavedVariable, trainable), F(6, TEXT, TgSavedVariable, name), END};
static const OxMessage variable_message = {"SavedVariable", sizeof(TgSavedVariable),
                                           variable_fields};
static const OxField constant_fields[] = {F(1, TEXT, TgSavedConstant, operation), END};
static const OxMessage constant_message = {"SavedConstant", sizeof(TgSavedConstant),
                                           constant_fields};
static const OxField object_fields[] = {
    M(1, MESSAGES, TgObject, children, ref_message),
    M(6, MESSAGE, TgObject, function, saved_function_message),
    M(7, MESSAGE, TgObject, variable, variable_message),
    M(8, MESSAGE, TgObject, bare, bare_message),
    M(9, MESSAGE, TgObject, constant, constant_message),
    END};
static const OxMessage object_message = {"SavedObject", sizeof(TgObject), object_fields};
static const OxField concrete_fields[] = {F(2, INTS, TgConcrete, bound), END};
static const OxMessage concrete_message = {"SavedConcreteFunction", sizeof(TgConcrete),
                                           concrete_fields};
static const OxField concrete_entry_fields[] = {
    F(1, TEXT, TgConcreteEntry, key),
    M(2, MESSAGE, TgConcreteEntry, value, concrete_message), END};
static const OxMessage concrete_entry_message = {
    "SavedObjectGraph.ConcreteFunctionsEntry", sizeof(TgConcreteEntry),
    concrete_entry_fields};
static const OxField objects_fields[] = {
    M(1, MESSAGES, TgObjectGraph, nodes, object_message),
    M(2, MESSAGES, TgObjectGraph, concrete, concrete_entry_message), END};
static const OxMessage objects_message = {"SavedObjectGraph", sizeof(TgObjectGraph),
                                          objects_fields};

static const OxField bytes_list_fields[] = {F(1, BYTE_LIST, TgBytesList, values), END};
static const OxMessage bytes_list_message = {"CollectionDef.BytesList",
                                             sizeof(TgBytesList), bytes_list_fields};
static const OxField collection_fields[] = {
    M(2, MESSAGE, TgCollection, bytes, bytes_list_message), END};
static const OxMessage collection_message = {"CollectionDef", sizeof(TgCollection),
                                             collection_fields};
static const OxField collection_entry_fields[] = {
    F(1, TEXT, TgCollectionEntry, key),
    M(2, MESSAGE, TgCollectionEntry, value, collection_message), END};
static const OxMessage collection_entry_message = {"MetaGraphDef.CollectionDefEntry",
                                                   sizeof(TgCollectionEntry),
                                                   collection_entry_fields};
static const OxField variable_def_fields[] = {F(1, TEXT, TgVariableDef, name), END};
const OxMessage tg_variable_message = {"VariableDef", sizeof(TgVariableDef),
                                       variable_def_fields};

static const OxField meta_fields[] = {
    M(2, MESSAGE, TgMeta, graph, tg_graph_message),
    M(3, MESSAGE, TgMeta, saver, saver_message),
    M(4, MESSAGES, TgMeta, collections, collection_entry_message),
    M(5, MESSAGES, TgMeta, signatures, signature_entry_message),
    M(7, MESSAGE, TgMeta, objects, objects_message),
    END};
static const OxMessage meta_message = {"MetaGraphDef", sizeof(TgMeta), meta_fields};
static const OxField saved_fields[] = {F(1, INT, TgSavedModel, version),
                                       M(2, MESSAGES, TgSavedModel, metas, meta_message),
                                       END};
const OxMessage tg_saved_message = {"SavedModel", sizeof(TgSavedModel), saved_fields};

static const OxField header_fields[] = {F(1, INT, TgHeader, shards),
                                        F(2, INT, TgHeader, endian), END};
const OxMessage tg_header_message = {"BundleHeaderProto", sizeof(TgHeader),
                                     header_fields};
static const OxField entry_fields[] = {
    F(1, INT, TgEntry, type),         M(2, MESSAGE, TgEntry, shape, shape_message),
    F(3, INT, TgEntry, shard),        F(4, INT, TgEntry, offset),
    F(5, INT, TgEntry, size),         F(6, FLOAT, TgEntry, crc),
    F(7, BYTE_LIST, TgEntry, slices), END};
const OxMessage tg_entry_message = {"BundleEntryProto", sizeof(TgEntry), entry_fields};

/* ---- element types ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    OxElem elem;
    wf_dtype dtype;
} types[] = {
    {"invalid", 0, WF_INVALID},
    {"float32", OX_FLOAT, WF_F32},
    {"float64", OX_DOUBLE, WF_F64},
    {"int32", OX_INT32, WF_I32},
    {"uint8", OX_UINT8, WF_U8},
    {"int16", OX_INT16, WF_I16},
    {"int8", OX_INT8, WF_I8},
    {"string", OX_STRING, WF_INVALID},
    {"complex64", OX_COMPLEX64, WF_C64},
    {"int64", OX_INT64, WF_I64},
    {"bool", OX_BOOL, WF_BOOL},
    {"qint8", 0, WF_INVALID},
    {"quint8", 0, WF_INVALID},
    {"qint32", 0, WF_INVALID},
    {"bfloat16", OX_BFLOAT16, WF_BF16},
    {"qint16", 0, WF_INVALID},
    {"quint16", 0, WF_INVALID},
    {"uint16", OX_UINT16, WF_U16},
    {"complex128", OX_COMPLEX128, WF_C128},
    {"float16", OX_FLOAT16, WF_F16},
    {"resource", 0, WF_INVALID},
    {"variant", 0, WF_INVALID},
    {"uint32", OX_UINT32, WF_U32},
    {"uint64", OX_UINT64, WF_U64},
};
#define NTYPES (int64_t)(sizeof types / sizeof *types)

static int64_t plain(int64_t type)
{
    type = type > 100 ? type - 100 : type;
    return type > 0 && type < NTYPES ? type : 0;
}

OxElem tg_elem(int64_t type) { return types[plain(type)].elem; }
wf_dtype tg_dtype(int64_t type) { return types[plain(type)].dtype; }
const char *tg_type_name(int64_t type) { return types[plain(type)].name; }

int64_t tg_type(wf_dtype dtype)
{
    for (int64_t i = 1; i < NTYPES; i++)
        if (types[i].dtype == dtype)
            return i;
    return 0;
}
